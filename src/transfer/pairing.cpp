#include "transfer/pairing.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>

#include "transfer/between.h"
#include "transfer/folded.h"
#include "transfer/neighbours.h"
#include "transfer/numbering.h"
#include "transfer/seeds.h"
#include "transfer/weight_readers.h"

namespace thence::transfer {
namespace {

constexpr int most_rounds = 64;

class Pairer {
 public:
  Pairer(const Net& ancestor, const Net& descendant)
      : a_(ancestor), d_(descendant), known_(ancestor), weight_readers_(ancestor) {
    result_.partners.assign(d_.root_count(), none);
    result_.proofs.assign(d_.root_count(), Proof::not_proven);
    result_.region_of.assign(d_.root_count(), 0);
    result_.regions.emplace_back();
    hints_.assign(d_.root_count(), none);
    taken_.assign(a_.root_count(), false);
    // In proportion to the models: those made to take long get fewer answers, not late ones.
    work_left_ = (std::size_t{1} << 20) + 128 * (a_.steps().size() + d_.steps().size());
  }

  Pairing run() {
    Seeds seeds = seeds_of(a_, d_);
    for (const auto& [ours, theirs] : seeds.inputs) pair(ours, theirs, Proof::input);
    for (const auto& [ours, theirs] : seeds.hints) suggest(ours, theirs);
    named_ = std::move(seeds.named);
    for (StepId id = 0; id < d_.steps().size(); ++id) queue_.push_back(id);
    // What proves most comes first; what was left is asked again after each pair.
    using Try = bool (Pairer::*)(StepId);
    constexpr Try tries[] = {&Pairer::by_hint, &Pairer::by_parts, &Pairer::by_name, &Pairer::alone,
                             &Pairer::by_neighbours};
    drain();
    for (int round = 0; round < most_rounds; ++round)
      if (std::none_of(std::begin(tries), std::end(tries), [this](Try one) { return try_all(one); })) break;
    result_.candidates = all_that_fit({a_, d_, result_.partners, taken_, known_});
    result_.classes = std::move(classes_);
    result_.alike = std::move(known_.alike);
    return std::move(result_);
  }

 private:
  // --- the worklist ---

  bool try_all(bool (Pairer::*one)(StepId)) {
    bool changed = false;
    for (StepId id = 0; id < d_.steps().size(); ++id)
      if ((this->*one)(id)) {
        changed = true;
        drain();
      }
    return changed;
  }

  void pair(Root ours, Root theirs, Proof proof) {
    if (result_.partners[ours] != none) return;
    result_.partners[ours] = theirs;
    result_.proofs[ours] = proof;
    taken_[theirs] = true;
    for (const StepId reader : d_.readers(ours)) queue_.push_back(reader);
    if (d_.maker(ours) != none) queue_.push_back(d_.maker(ours));
  }

  void suggest(Root ours, Root theirs) {
    if (result_.partners[ours] == none && d_.constant(ours) == nullptr && a_.constant(theirs) == nullptr)
      hints_[ours] = theirs;
  }

  void drain() {
    while (!queue_.empty()) {
      const StepId first = queue_.front();
      queue_.pop_front();
      // All outputs of an operator are steps of their own, one after the other.
      for (StepId id = first; id < d_.steps().size() && (id == first || same_operator(first, id)); ++id) {
        if (result_.partners[d_.steps()[id].output] == none) forward(id) || by_weight(id);
        if (result_.partners[d_.steps()[id].output] != none) backward(id);
      }
    }
  }

  bool same_operator(StepId one, StepId other) const {
    return d_.steps()[one].node == d_.steps()[other].node &&
           d_.steps()[one].first_input == d_.steps()[other].first_input;
  }

  // Codes of a step's inputs; false when one is not known. `variable`: without the constants.
  bool codes_of(const Step& step, std::vector<std::uint64_t>& codes, std::vector<std::uint64_t>& variable,
                bool& changed_weight) const {
    codes.clear();
    variable.clear();
    changed_weight = false;
    for (const Root root : d_.inputs(step)) {
      if (const Constant* const constant = d_.constant(root)) {
        codes.push_back(constant->content);
        changed_weight |= constant->content == 0 || !known_.contents.contains(constant->content);
      } else if (result_.partners[root] != none) {
        codes.push_back(classes_[result_.partners[root]]);
        variable.push_back(codes.back());
      } else {
        return false;
      }
    }
    return true;
  }

  // The root that all candidates make, up to equal expressions; none when they differ.
  Root agreed(const std::vector<StepId>& candidates, const Step& step) const {
    const auto one_class = [&](auto fits) {
      Root found = none;
      for (const StepId id : candidates) {
        const Step& each = a_.steps()[id];
        if (!fits(each)) continue;
        if (found != none && classes_[found] != classes_[each.output]) return none;
        if (found == none) found = each.output;
      }
      return found;
    };
    const Root any = one_class([](const Step&) { return true; });
    return any != none ? any : one_class([&](const Step& each) { return each.detail == step.detail; });
  }

  bool forward(StepId id) {
    const Step& step = d_.steps()[id];
    bool changed = false;
    if (!codes_of(step, codes_, variable_, changed) || variable_.empty()) return false;
    if (!known_.by_key.find(Numbering::key_of(step, codes_), found_)) return false;
    const Root root = agreed(found_, step);
    if (root == none) return false;
    const auto named = named_.find(step.output);
    settle(step, root, named != named_.end() && named->second == root ? Proof::name : Proof::inputs);
    return true;
  }

  void settle(const Step& step, Root root, Proof proof) {
    const Root end =
        past_activation(a_, d_, step, proof == Proof::alone ? past_folded(a_, d_, step, root) : root);
    if (end != root) {
      result_.region_of[step.output] = static_cast<std::uint32_t>(result_.regions.size());
      result_.regions.push_back({a_.maker(end), a_.maker(root)});
    }
    pair(step.output, end, end == root ? proof : Proof::region);
  }

  bool by_weight(StepId id) {
    const Step& step = d_.steps()[id];
    for (const Root root : d_.inputs(step)) {
      const Constant* const constant = d_.constant(root);
      if (constant == nullptr || constant->content == 0 || constant->elements < Numbering::least_weight)
        continue;
      if (!known_.by_weight.find(Numbering::weight_key(step, *constant), found_) || found_.size() != 1)
        continue;
      const Step& theirs = a_.steps()[found_.front()];
      if (taken_[theirs.output] || theirs.input_count != step.input_count) continue;
      settle(step, theirs.output, Proof::weight);
      return true;
    }
    return false;
  }

  // What a paired step reads is what its partner reads.
  void backward(StepId id) {
    const Step& step = d_.steps()[id];
    const StepId maker = a_.maker(result_.partners[step.output]);
    if (maker == none) return;
    const Step& theirs = a_.steps()[maker];
    if (theirs.op != step.op) return;
    d_.data_inputs(step, known_.contents, ours_);
    a_.data_inputs(theirs, known_.contents, theirs_);
    const std::vector<Root>&ours = ours_, &others = theirs_;
    if (ours.size() != others.size()) return;
    if (!step.commutes) {
      for (std::size_t i = 0; i < ours.size(); ++i) read_in_place(ours[i], others[i]);
      return;
    }
    std::vector<Root> open, left;
    for (const Root root : ours)
      if (d_.constant(root) == nullptr && result_.partners[root] == none) open.push_back(root);
    for (const Root root : others) {
      const bool used = std::any_of(ours.begin(), ours.end(), [&](Root mine) {
        return result_.partners[mine] != none && classes_[result_.partners[mine]] == classes_[root];
      });
      if (a_.constant(root) == nullptr && !used) left.push_back(root);
    }
    // Some that are left may be constants by now: then the operators that make them tell.
    if (open.size() == 1 && left.size() > 1)
      std::erase_if(left, [&](Root root) { return !made_alike(open.front(), root); });
    if (open.size() == 1 && left.size() == 1) read_in_place(open.front(), left.front());
  }

  // By the same operator.
  bool made_alike(Root ours, Root theirs) const {
    const StepId mine = d_.maker(ours), other = a_.maker(theirs);
    return mine != none && other != none && d_.steps()[mine].op == a_.steps()[other].op &&
           d_.steps()[mine].place == a_.steps()[other].place;
  }

  void read_in_place(Root ours, Root theirs) {
    if (result_.partners[ours] != none || d_.constant(ours) != nullptr || a_.constant(theirs) != nullptr)
      return;
    if (made_alike(ours, theirs))
      pair(ours, theirs, Proof::outputs);
    else
      suggest(ours, theirs);
  }

  // --- what is left ---

  // A value whose name survived. A name alone is a coincidence: something that its maker reads must be the
  // same, or be called the same, and nothing that is known of it may be another.
  bool by_name(StepId id) {
    const Step& step = d_.steps()[id];
    const auto named = named_.find(step.output);
    if (named == named_.end() || result_.partners[step.output] != none || taken_[named->second]) return false;
    const Step& theirs = a_.steps()[a_.maker(named->second)];
    if (theirs.input_count != step.input_count) return false;
    const auto others = a_.inputs(theirs);
    bool supported = false;
    for (const Root ours : d_.inputs(step)) {
      if (const Constant* const constant = d_.constant(ours)) {
        supported |= constant->elements >= Numbering::least_weight;  // the weights are the same
        continue;
      }
      const Root partner = result_.partners[ours];
      const bool found = std::any_of(others.begin(), others.end(), [&](Root other) {
        return partner != none ? classes_[other] == classes_[partner] : called_alike(d_, ours, a_, other);
      });
      if (partner != none && !found) return false;
      supported |= found;
    }
    if (supported) pair(step.output, named->second, Proof::name);
    return supported;
  }

  // The values that a step reads, by their codes; false when one is not known.
  bool starts_of(const Step& step, std::vector<std::uint64_t>& starts) const {
    for (const Root root : d_.inputs(step)) {
      if (d_.constant(root) != nullptr) continue;
      if (result_.partners[root] == none) return false;
      starts.push_back(classes_[result_.partners[root]]);
    }
    return true;
  }

  // A value that a hint names: the same if all between it and what its maker reads was fused.
  bool by_hint(StepId id) {
    const Step& step = d_.steps()[id];
    const Root hint = hints_[step.output];
    if (hint == none || result_.partners[step.output] != none || a_.maker(hint) == none) return false;
    return fused(step, hint) || split(step, hint);
  }

  bool fused(const Step& step, Root hint) {
    std::vector<std::uint64_t> starts;
    if (!starts_of(step, starts)) return false;
    auto region = all_between(a_, starts, hint,
                              {[this](Root root) { return classes_[root]; },
                               [this](Root root) { return static_cast<bool>(taken_[root]); }},
                              work_left_);
    if (!region) return false;
    if (region->size() > 1) {
      result_.region_of[step.output] = static_cast<std::uint32_t>(result_.regions.size());
      result_.regions.push_back(*std::move(region));
    }
    pair(step.output, hint, Proof::region);
    return true;
  }

  // The other way round: one operation of the ancestor was taken apart.
  bool split(const Step& step, Root hint) {
    auto parts = parts_of(step, hint);
    if (!parts) return false;
    result_.splits.emplace_back(step.output, *std::move(parts));
    pair(step.output, hint, Proof::region);
    return true;
  }

  // All that lies between what an operation of the ancestor reads and this step, if it may be its parts.
  std::optional<std::vector<StepId>> parts_of(const Step& step, Root whole) {
    std::vector<std::uint64_t> starts;
    for (const Root root : a_.inputs(a_.steps()[a_.maker(whole)]))
      if (a_.constant(root) == nullptr) starts.push_back(classes_[root]);
    const auto partner = [this](Root root) { return result_.partners[root]; };
    auto parts = all_between(d_, starts, step.output,
                             {[&](Root root) { return partner(root) == none ? 0 : classes_[partner(root)]; },
                              [&](Root root) { return partner(root) != none; }},
                             work_left_);
    // A node that gives out several values merges what was apart: it is no part of one operation alone.
    const auto merges = [&](StepId id) { return d_.model().node(d_.steps()[id].node).outputs().size() > 1; };
    if (!parts || taken_[whole] || std::any_of(parts->begin(), parts->end(), merges)) return std::nullopt;
    return parts;
  }

  // The last part of an operation that was taken apart: its parts read all weights that the operation does.
  bool by_parts(StepId id) {
    const Step& step = d_.steps()[id];
    if (result_.partners[step.output] != none) return false;
    Root whole = none;
    for (const Root root : d_.inputs(step)) {
      const Constant* const weight = d_.constant(root);
      if (weight == nullptr || weight->elements < Numbering::least_weight ||
          !weight_readers_.find(weight->content, found_))
        continue;
      for (const StepId each : found_) {
        const Step& theirs = a_.steps()[each];
        if (theirs.op == step.op || theirs.place != 0 || theirs.output == whole) continue;
        const auto parts = parts_of(step, theirs.output);
        if (!parts || !read_all_weights(d_, *parts, a_, theirs)) continue;
        if (whole != none) return false;
        whole = theirs.output;
      }
    }
    return whole != none && split(step, whole);
  }

  // The one operation of its kind that reads the same values, where weights were changed past recognition.
  bool alone(StepId id) {
    const Step& step = d_.steps()[id];
    if (result_.partners[step.output] != none) return false;
    bool changed = false;
    if (!codes_of(step, codes_, variable_, changed) || variable_.empty()) return false;
    // A weight that the ancestor has may have been taken for another: then nothing reads it together with
    // these.
    if (!changed && (!known_.by_key.find(Numbering::key_of(step, codes_), found_) || !found_.empty()))
      return false;
    const std::uint64_t key = Numbering::key_of(step, variable_);
    if (!known_.by_partial.find(key, found_)) return false;
    const Root root = agreed(found_, step);
    if (root == none || taken_[root]) return false;
    for (const StepId other : d_.readers(d_.inputs(step)[0]))  // another one that might be meant as well
      if (other != id && d_.steps()[other].op == step.op &&
          result_.partners[d_.steps()[other].output] == none)
        return false;
    settle(step, root, Proof::alone);
    return true;
  }

  // The one operation that what is known around it leaves.
  bool by_neighbours(StepId id) {
    const Step& step = d_.steps()[id];
    if (result_.partners[step.output] != none || d_.constant(step.output) != nullptr) return false;
    const StepId theirs = one_that_fits({a_, d_, result_.partners, taken_, known_}, id);
    if (theirs == none) return false;
    settle(step, a_.steps()[theirs].output, Proof::neighbours);
    return true;
  }

  const Net &a_, &d_;
  Pairing result_;
  Numbering known_;
  std::vector<std::uint64_t>& classes_ = known_.classes;
  std::vector<Root> hints_;  // by root of the descendant
  std::vector<bool> taken_;  // by root of the ancestor
  std::unordered_map<Root, Root> named_;
  WeightReaders weight_readers_;
  std::deque<StepId> queue_;
  std::size_t work_left_ = 0;                    // for what lies between values
  std::vector<std::uint64_t> codes_, variable_;  // kept from step to step
  std::vector<StepId> found_;
  std::vector<Root> ours_, theirs_;
};

}  // namespace

Pairing pair(const Net& ancestor, const Net& descendant) { return Pairer(ancestor, descendant).run(); }

}  // namespace thence::transfer
