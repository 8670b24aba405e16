#include "transfer/regions.h"

#include <algorithm>
#include <unordered_set>

#include "transfer/match_state.h"

namespace thence::transfer {
namespace {

// Searches backwards from a value for the operations that compute it from some start values.
template <class ClassOf, class IsTaken>
class RegionSearch {
 public:
  /// `class_of`: the congruence class of a value (value_numbering.h), 0 if it is unknown. `is_taken`: whether
  /// a value is matched already, so that it cannot lie inside the region.
  RegionSearch(const ValueGraph& graph, const std::vector<std::uint64_t>& starts, ClassOf class_of,
               IsTaken is_taken)
      : graph_(graph),
        starts_(starts),
        class_of_(class_of),
        is_taken_(is_taken),
        is_reached_(starts.size(), false) {}

  // The operations between the start values and `end`. Nothing if a start value is not needed, if `end`
  // depends on other values, if a value on the way is taken, if the region is too large, or if no work is
  // left. To be called once: it marks the starts that it reaches.
  std::optional<std::vector<OperationId>> run(CanonicalValue end, std::size_t& work_left) {
    if (starts_.empty()) return std::nullopt;
    std::vector<OperationId> region;
    std::vector<CanonicalValue> pending{end};
    std::unordered_set<CanonicalValue> seen{end};
    for (std::size_t at = 0; at < pending.size(); ++at) {
      const CanonicalValue value = pending[at];
      if (at > max_region || work_left == 0) return std::nullopt;
      --work_left;
      // `end` itself is searched even if it has the class of a start, as for an operation without effect.
      if ((at > 0 && mark_if_start(value)) || graph_.constant(value) != nullptr) continue;
      const OperationId producer = graph_.producer(value);
      if (producer == none || (at > 0 && is_taken_(value))) return std::nullopt;
      region.push_back(producer);
      for (const CanonicalValue input : graph_.inputs(graph_.operation(producer)))
        if (seen.insert(input).second) pending.push_back(input);
    }
    if (std::find(is_reached_.begin(), is_reached_.end(), false) != is_reached_.end()) return std::nullopt;
    return region;
  }

 private:
  bool mark_if_start(CanonicalValue value) {
    const std::uint64_t value_class = class_of_(value);
    bool found = false;
    for (std::size_t i = 0; i < starts_.size() && value_class != 0; ++i)
      if (starts_[i] == value_class) is_reached_[i] = found = true;
    return found;
  }

  const ValueGraph& graph_;
  const std::vector<std::uint64_t>& starts_;
  ClassOf class_of_;
  IsTaken is_taken_;
  std::vector<bool> is_reached_;  // by start
};

}  // namespace

Regions::Regions(const MatchState& state)
    : state_(state),
      a_(state.ancestor()),
      d_(state.descendant()),
      weight_uses_(a_),
      work_left_(base_region_work +
                 region_work_per_operation * (a_.operations().size() + d_.operations().size())) {}

// Collects the classes of the operands of an operation, looking through other primitive operations of the
// same node. False if one is not matched. A node of a damaged file may read its own result.
bool Regions::collect_operand_classes(const Operation& ours, std::vector<std::uint64_t>& classes) const {
  std::vector<const Operation*> open = {&ours};
  for (std::size_t next = 0; next < open.size(); ++next) {
    if (next > max_region) return false;
    for (const CanonicalValue input : d_.inputs(*open[next])) {
      if (d_.constant(input) != nullptr) continue;
      const OperationId producer = d_.producer(input);
      if (state_.is_matched(input))
        classes.push_back(state_.class_of(state_.partner(input)));
      else if (producer != none && d_.operation(producer).node == ours.node)
        open.push_back(&d_.operation(producer));
      else
        return false;
    }
  }
  return true;
}

std::optional<std::vector<OperationId>> Regions::find_fused_region(const Operation& ours,
                                                                   CanonicalValue end) {
  std::vector<std::uint64_t> starts;
  if (!collect_operand_classes(ours, starts)) return std::nullopt;
  return RegionSearch(
             a_, starts, [this](CanonicalValue value) { return state_.class_of(value); },
             [this](CanonicalValue value) { return state_.is_taken(value); })
      .run(end, work_left_);
}

std::optional<std::vector<OperationId>> Regions::find_split_parts(const Operation& ours,
                                                                  CanonicalValue whole) {
  std::vector<std::uint64_t> starts;
  for (const CanonicalValue input : a_.inputs(a_.operation(a_.producer(whole))))
    if (a_.constant(input) == nullptr) starts.push_back(state_.class_of(input));
  const auto class_of = [this](CanonicalValue value) {
    return state_.is_matched(value) ? state_.class_of(state_.partner(value)) : 0;
  };
  const auto is_matched = [this](CanonicalValue value) { return state_.is_matched(value); };
  auto parts = RegionSearch(d_, starts, class_of, is_matched).run(ours.output, work_left_);
  // A part with several outputs also computes something else, so it is not only a part of `whole`.
  const auto merges = [&](OperationId id) {
    return d_.model().node(d_.operation(id).node).outputs().size() > 1;
  };
  if (!parts || state_.is_taken(whole) || std::any_of(parts->begin(), parts->end(), merges))
    return std::nullopt;
  return parts;
}

// The result of the only operation that reads a weight of `ours` and fits; none if there are several.
template <class Fits>
CanonicalValue Regions::find_unique_use_of_weight(const Operation& ours, Fits fits) {
  CanonicalValue found = none;
  for (const CanonicalValue input : d_.inputs(ours)) {
    const Constant* const weight = d_.constant(input);
    if (weight == nullptr || weight->elements < min_identifying_elements ||
        !weight_uses_.find(weight->fingerprint, uses_))
      continue;
    for (const OperationId use : uses_) {
      const Operation& theirs = a_.operation(use);
      // An equal operator is neither fused nor split: the other matchers compare it.
      if (theirs.op == ours.op || theirs.output_index != 0 || theirs.output == found || !fits(theirs))
        continue;
      if (found != none) return none;
      found = theirs.output;
    }
  }
  return found;
}

CanonicalValue Regions::find_split_by_weights(const Operation& ours) {
  return find_unique_use_of_weight(ours, [&](const Operation& theirs) {
    const auto parts = find_split_parts(ours, theirs.output);
    return parts && together_read_all_weights_of(d_, *parts, a_, theirs);
  });
}

CanonicalValue Regions::find_fused_by_weights(const Operation& ours) {
  return find_unique_use_of_weight(ours, [&](const Operation& theirs) {
    if (state_.is_taken(theirs.output)) return false;
    const auto region = find_fused_region(ours, theirs.output);
    return region && together_read_all_weights_of(a_, *region, d_, ours);
  });
}

}  // namespace thence::transfer
