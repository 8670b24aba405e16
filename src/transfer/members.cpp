#include "transfer/members.h"

#include <algorithm>

namespace thence::transfer {
std::vector<Root> Members::told_by_readers(const Net& ancestor, const Net& descendant, Root ours) const {
  std::vector<Root> told;
  for (const StepId reader : descendant.readers(ours)) {
    const Root read_by = descendant.steps()[reader].output, made = chosen_[read_by];
    if (made == none || open_[read_by] || ancestor.maker(made) == none) continue;
    for (const Root each : ancestor.inputs(ancestor.steps()[ancestor.maker(made)]))
      if (const Root read = ancestor.handed_on(each);
          pairing_.classes[read] == pairing_.classes[chosen_[ours]] && told.size() < Net::most_merged &&
          std::find(told.begin(), told.end(), read) == told.end())
        told.push_back(read);
  }
  return told;
}

Members::Members(const Net& ancestor, const Net& descendant, const Pairing& pairing)
    : pairing_(pairing), chosen_(pairing.partners), open_(chosen_.size(), false) {
  // The last ones first: readers are chosen before what they read.
  for (auto id = static_cast<StepId>(descendant.steps().size()); id-- > 0;) {
    const Root root = descendant.steps()[id].output;
    const auto merged = pairing.merged.find(root);
    if (chosen_[root] == none ||
        (pairing.alike[chosen_[root]] == chosen_[root] && merged == pairing.merged.end()))
      continue;
    std::vector<Root> told = told_by_readers(ancestor, descendant, root);
    open_[root] = told.empty();
    if (told.empty()) continue;
    if (merged != pairing.merged.end()) told.insert(told.end(), merged->second.begin(), merged->second.end());
    // Several that were merged: it is each of them, and the one whose name survived comes first.
    std::sort(told.begin(), told.end());
    const auto named = std::find_if(
        told.begin(), told.end(), [&](Root each) { return called_alike(descendant, root, ancestor, each); });
    if (named != told.end()) std::rotate(told.begin(), named, named + 1);
    chosen_[root] = told.front();
    if (told.size() > 1) merged_.emplace(root, std::move(told));
  }
}

std::vector<Root> Members::others(Root ours) const {
  if (const auto found = merged_.find(ours); found != merged_.end()) return found->second;
  std::vector<Root> members;
  if (!open_[ours]) return members;
  for (Root each = pairing_.alike[chosen_[ours]]; each != chosen_[ours] && members.size() < Net::most_merged;
       each = pairing_.alike[each])
    members.push_back(each);
  std::sort(members.begin(), members.end());
  return members;
}

}  // namespace thence::transfer
