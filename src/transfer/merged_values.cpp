#include "transfer/merged_values.h"

#include <algorithm>

namespace thence::transfer {

using dataflow::max_merged;

// The congruent values that the partners of its uses read.
std::vector<CanonicalValue> MergedValues::values_read_by_partners(const ValueGraph& ancestor,
                                                                  const ValueGraph& descendant,
                                                                  CanonicalValue ours) const {
  std::vector<CanonicalValue> found;
  for (const OperationId use : descendant.uses(ours)) {
    const CanonicalValue output = descendant.operation(use).output, partner = chosen_[output];
    if (partner == none || is_ambiguous_[output] || ancestor.producer(partner) == none) continue;
    for (const CanonicalValue input : ancestor.inputs(ancestor.operation(ancestor.producer(partner))))
      if (const CanonicalValue read = ancestor.skip_noops(input);
          matching_.classes[read] == matching_.classes[chosen_[ours]] && found.size() < max_merged &&
          std::find(found.begin(), found.end(), read) == found.end())
        found.push_back(read);
  }
  return found;
}

// The congruent value whose name survived, or none.
CanonicalValue MergedValues::same_named_congruent(const ValueGraph& ancestor, const ValueGraph& descendant,
                                                  CanonicalValue ours) const {
  CanonicalValue each = chosen_[ours];
  for (std::size_t visited = 0; visited < max_merged; ++visited) {
    if (dataflow::have_same_name(descendant, ours, ancestor, each)) return each;
    each = matching_.next_congruent[each];
    if (each == chosen_[ours]) break;
  }
  return none;
}

MergedValues::MergedValues(const ValueGraph& ancestor, const ValueGraph& descendant,
                           const ValueMatching& matching)
    : matching_(matching), chosen_(matching.partners), is_ambiguous_(chosen_.size(), false) {
  // In reverse order, so that uses are decided before what they read.
  for (auto id = static_cast<OperationId>(descendant.operations().size()); id-- > 0;) {
    const CanonicalValue ours = descendant.operation(id).output;
    if (chosen_[ours] == none) continue;
    const auto merged = matching.merged.find(ours);
    const bool is_unique = matching.next_congruent[chosen_[ours]] == chosen_[ours];
    if (is_unique && merged == matching.merged.end()) continue;
    std::vector<CanonicalValue> found = values_read_by_partners(ancestor, descendant, ours);
    if (found.empty())
      if (const CanonicalValue named = same_named_congruent(ancestor, descendant, ours); named != none)
        found.push_back(named);
    is_ambiguous_[ours] = found.empty();
    if (found.empty()) continue;
    if (merged != matching.merged.end())
      found.insert(found.end(), merged->second.begin(), merged->second.end());
    // If several were merged it is each of them. The one whose name survived comes first.
    std::sort(found.begin(), found.end());
    const auto same_named = std::find_if(found.begin(), found.end(), [&](CanonicalValue each) {
      return dataflow::have_same_name(descendant, ours, ancestor, each);
    });
    if (same_named != found.end()) std::rotate(found.begin(), same_named, same_named + 1);
    chosen_[ours] = found.front();
    if (found.size() > 1) merged_.emplace(ours, std::move(found));
  }
}

std::vector<CanonicalValue> MergedValues::others(CanonicalValue ours) const {
  if (const auto found = merged_.find(ours); found != merged_.end()) return found->second;
  std::vector<CanonicalValue> congruent;
  if (!is_ambiguous_[ours]) return congruent;
  for (CanonicalValue each = matching_.next_congruent[chosen_[ours]];
       each != chosen_[ours] && congruent.size() < max_merged; each = matching_.next_congruent[each])
    congruent.push_back(each);
  std::sort(congruent.begin(), congruent.end());
  return congruent;
}

}  // namespace thence::transfer
