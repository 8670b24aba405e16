#include "transfer/neighbours.h"

#include <algorithm>
#include <span>

namespace thence::transfer {
namespace {

class Neighbourhood {
 public:
  /// `open`: the candidates found so far for unmatched values; null if they are not to be used.
  explicit Neighbourhood(const MatchState& state, const Candidates* open = nullptr)
      : state_(state), open_(open), a_(state.ancestor()), d_(state.descendant()) {}

  // Empty if there are too many.
  std::vector<OperationId> candidates(OperationId ours) const {
    std::vector<OperationId> found = neighbours_of(ours);
    if (found.size() == max_neighbours) return {};
    std::erase_if(found, [&](OperationId each) { return !may_match(ours, each); });
    return found;
  }

  OperationId unique_candidate_of(OperationId ours) const {
    return find_unique(neighbours_of(ours), a_, d_.operation(ours),
                       [&](OperationId each) { return may_match(ours, each); });
  }

  // In the other direction: the only operation near `ours` that `theirs` is a candidate for.
  OperationId unique_claimant_of(OperationId ours, OperationId theirs) const {
    std::vector<OperationId> near{ours};
    for (const CanonicalValue input : d_.inputs(d_.operation(ours))) add_uses(d_, input, near);
    each_matched_use(ours, [&](const Operation& use, const Operation&) { add_producers(d_, use, near); });
    return find_unique(near, d_, a_.operation(theirs),
                       [&](OperationId each) { return may_match(each, theirs); });
  }

 private:
  // The ancestor's operations that read, or are read by, the partners of what `ours` reads or is read by.
  std::vector<OperationId> neighbours_of(OperationId ours) const {
    std::vector<OperationId> found;
    for (const CanonicalValue input : d_.inputs(d_.operation(ours))) {
      if (state_.is_matched(input)) add_uses_of_congruent(state_.partner(input), found);
      if (const std::vector<OperationId>* const open = open_candidates(input))
        for (const OperationId producer : *open) add_uses(a_, a_.operation(producer).output, found);
    }
    each_matched_use(ours, [&](const Operation&, const Operation& use) { add_producers(a_, use, found); });
    return found;
  }

  const std::vector<OperationId>* open_candidates(CanonicalValue ours) const {
    if (open_ == nullptr) return nullptr;
    const auto found = open_->find(ours);
    return found == open_->end() ? nullptr : &found->second;
  }

  static void add(OperationId operation, std::vector<OperationId>& found) {
    if (operation != none && found.size() < max_neighbours &&
        std::find(found.begin(), found.end(), operation) == found.end())
      found.push_back(operation);
  }
  static void add_uses(const ValueGraph& graph, CanonicalValue value, std::vector<OperationId>& found) {
    if (graph.constant(value) != nullptr) return;
    for (const OperationId use : graph.uses(value)) add(use, found);
  }
  void add_uses_of_congruent(CanonicalValue theirs, std::vector<OperationId>& found) const {
    CanonicalValue each = theirs;
    do {
      add_uses(a_, each, found);
      each = state_.numbering().next_congruent[each];
    } while (each != theirs && found.size() < max_neighbours);
  }
  static void add_producers(const ValueGraph& graph, const Operation& operation,
                            std::vector<OperationId>& found) {
    for (const CanonicalValue input : graph.inputs(operation)) add(graph.producer(input), found);
  }

  // Calls `visit` with the uses of an operation's output and their partners, if both have the same operator.
  template <class Visit>
  void each_matched_use(OperationId ours, Visit visit) const {
    const auto uses = d_.uses(d_.operation(ours).output);
    for (const OperationId id : uses.first(std::min(uses.size(), max_neighbours))) {
      const Operation& use = d_.operation(id);
      const CanonicalValue partner = state_.partner(use.output);
      if (partner == none || a_.producer(partner) == none) continue;
      const Operation& theirs = a_.operation(a_.producer(partner));
      if (theirs.op == use.op) visit(use, theirs);
    }
  }

  // The only one that fits, or the only one that fits with the same detail.
  template <class MayMatch>
  static OperationId find_unique(const std::vector<OperationId>& candidates, const ValueGraph& graph,
                                 const Operation& wanted, MayMatch may_match) {
    if (candidates.size() == max_neighbours) return none;  // there may be more
    OperationId any = none, same_attributes = none;
    std::size_t match_count = 0, same_attributes_count = 0;
    for (const OperationId each : candidates) {
      if (!may_match(each)) continue;
      any = each;
      ++match_count;
      if (graph.operation(each).attribute_hash != wanted.attribute_hash) continue;
      same_attributes = each;
      ++same_attributes_count;
    }
    return match_count == 1 ? any : same_attributes_count == 1 ? same_attributes : none;
  }

  bool may_match(OperationId ours, OperationId theirs) const {
    const Operation &mine = d_.operation(ours), &other = a_.operation(theirs);
    if (mine.op != other.op || mine.output_index != other.output_index || state_.is_matched(mine.output) ||
        state_.is_taken(other.output) || d_.constant(mine.output) != nullptr ||
        a_.constant(other.output) != nullptr)
      return false;
    return have_matching_inputs(mine, other) && have_matching_uses(ours, other);
  }

  bool have_matching_inputs(const Operation& mine, const Operation& other) const {
    std::vector<CanonicalValue> data, their_data;
    const bool same_count = mine.input_count == other.input_count;
    if (!same_count) {
      state_.numbering().data_inputs(d_, mine, data);
      state_.numbering().data_inputs(a_, other, their_data);
    }
    const std::span<const CanonicalValue> inputs = same_count ? d_.inputs(mine) : data,
                                          others = same_count ? a_.inputs(other) : their_data;
    if (inputs.size() != others.size()) return false;
    const auto all_match = [&](std::size_t rotation) {
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!may_be_same(inputs[i], others[(i + rotation) % others.size()])) return false;
      return true;
    };
    return all_match(0) || (mine.is_commutative && inputs.size() == 2 && all_match(1));
  }

  bool have_matching_uses(OperationId ours, const Operation& other) const {
    bool all_match = true;
    each_matched_use(ours, [&](const Operation&, const Operation& use) {
      const auto inputs = a_.inputs(use);
      all_match &= std::any_of(inputs.begin(), inputs.end(), [&](CanonicalValue input) {
        return state_.are_congruent(input, other.output);
      });
    });
    return all_match;
  }

  bool may_be_same(CanonicalValue ours, CanonicalValue theirs) const {
    if (state_.is_matched(ours)) return state_.are_congruent(state_.partner(ours), theirs);
    const OperationId mine = d_.producer(ours), other = a_.producer(theirs);
    if (const Constant* const constant = d_.constant(ours)) {
      if (const Constant* const weight = a_.constant(theirs)) return may_be_same(*constant, *weight);
      return other != none && a_.is_shape_or_constant(a_.operation(other).node);  // a folded shape
    }
    if (a_.constant(theirs) != nullptr || state_.is_taken(theirs) || mine == none || other == none)
      return false;
    if (const std::vector<OperationId>* const open = open_candidates(ours))
      return std::find(open->begin(), open->end(), other) != open->end();
    return d_.operation(mine).op == a_.operation(other).op;
  }

  static bool may_be_same(const Constant& ours, const Constant& theirs) {
    return ours.fingerprint == theirs.fingerprint || theirs.fingerprint == 0 || ours.fingerprint == 0 ||
           (ours.elements == theirs.elements && ours.is_float == theirs.is_float);
  }

  const MatchState& state_;
  const Candidates* open_;
  const ValueGraph &a_, &d_;
};

}  // namespace

OperationId unique_candidate(const MatchState& state, OperationId ours) {
  const Neighbourhood neighbourhood(state);
  const OperationId theirs = neighbourhood.unique_candidate_of(ours);
  return theirs != none && neighbourhood.unique_claimant_of(ours, theirs) == ours ? theirs : none;
}

Candidates all_candidates(const MatchState& state) {
  const ValueGraph& descendant = state.descendant();
  Candidates found;
  const Neighbourhood neighbourhood(state, &found);
  // Operations come after those that they read, so the candidates of their operands are known.
  for (OperationId id = 0; id < descendant.operations().size(); ++id) {
    const CanonicalValue output = descendant.operation(id).output;
    if (state.is_matched(output) || descendant.constant(output) != nullptr) continue;
    if (std::vector<OperationId> candidates = neighbourhood.candidates(id); !candidates.empty())
      found.emplace(output, std::move(candidates));
  }
  return found;
}

}  // namespace thence::transfer
