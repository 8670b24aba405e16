#include "transfer/matchers.h"
#include "transfer/thresholds.h"
#include "transfer/value_matching.h"

namespace thence::transfer {
namespace {

using Phase = Matcher::Phase;

class MatcherLoop {
 public:
  MatcherLoop(const ValueGraph& ancestor, const ValueGraph& descendant)
      : state_(ancestor, descendant), operations_(descendant.operations()) {}

  ValueMatching run() {
    drain();
    for (int sweep = 0; sweep < max_sweeps && sweep_once(); ++sweep) {
    }
    return state_.finish();
  }

 private:
  // Runs the first matcher that matches something: after it, more reliable ones may match again.
  bool sweep_once() {
    for (const Matcher& matcher : matchers())
      if (matcher.phase == Phase::sweep && run_on_all(matcher)) return true;
    return false;
  }

  bool run_on_all(const Matcher& matcher) {
    bool changed = false;
    for (OperationId id = 0; id < operations_.size(); ++id)
      if (accepts(matcher, id) && matcher.match(state_, id)) {
        changed = true;
        drain();
      }
    return changed;
  }

  void drain() {
    while (state_.has_queued()) {
      const OperationId first = state_.next_queued();
      // The outputs of one node are consecutive operations with the same inputs. If the first of them is
      // queued, the matchers see all of them; otherwise only the queued one.
      const bool is_first = first == 0 || !have_same_inputs(first - 1, first);
      OperationId id = first;
      do {
        for (const Matcher& matcher : matchers())
          if (matcher.phase == Phase::worklist && accepts(matcher, id)) matcher.match(state_, id);
      } while (is_first && ++id < operations_.size() && have_same_inputs(first, id));
    }
  }

  bool accepts(const Matcher& matcher, OperationId id) const {
    return state_.is_matched(operations_[id].output) == (matcher.operations == Matcher::Operations::matched);
  }

  bool have_same_inputs(OperationId one, OperationId other) const {
    return operations_[one].node == operations_[other].node &&
           operations_[one].first_input == operations_[other].first_input;
  }

  MatchState state_;
  std::span<const Operation> operations_;
};

}  // namespace

ValueMatching match_values(const ValueGraph& ancestor, const ValueGraph& descendant) {
  return MatcherLoop(ancestor, descendant).run();
}

}  // namespace thence::transfer
