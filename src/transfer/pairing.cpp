#include "transfer/pairing.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "dataflow/operator_traits.h"
#include "transfer/folded.h"
#include "transfer/neighbours.h"
#include "transfer/numbering.h"
#include "transfer/regions.h"
#include "transfer/seeds.h"

namespace thence::transfer {
namespace {

using dataflow::has_trait;
using dataflow::Trait;

constexpr int most_rounds = 64;

class Pairer {
 public:
  Pairer(const Net& ancestor, const Net& descendant)
      : a_(ancestor),
        d_(descendant),
        result_{.names = ValueNames(ancestor.model(), descendant.model())},
        known_(ancestor),
        paired_{ancestor, descendant, result_.partners, taken_, known_},
        regions_(paired_) {
    result_.partners.assign(d_.root_count(), none);
    result_.proofs.assign(d_.root_count(), Proof::not_proven);
    result_.region_of.assign(d_.root_count(), 0);
    result_.regions.emplace_back();
    hints_.assign(d_.root_count(), none);
    taken_.assign(a_.root_count(), false);
  }

  Pairing run() {
    Seeds seeds = seeds_of(a_, d_, result_.names);
    for (const auto& [ours, theirs] : seeds.inputs) pair(ours, theirs, Proof::input);
    for (const auto& [ours, theirs] : seeds.hints) suggest(ours, theirs);
    named_ = std::move(seeds.named);
    for (StepId id = 0; id < d_.steps().size(); ++id) queue_.push_back(id);
    // What proves most comes first; what was left is asked again after each pair.
    using Try = bool (Pairer::*)(StepId);
    constexpr Try tries[] = {&Pairer::by_hint, &Pairer::by_parts, &Pairer::by_end,
                             &Pairer::by_name, &Pairer::alone,    &Pairer::by_neighbours};
    drain();
    for (int round = 0; round < most_rounds; ++round)
      if (std::none_of(std::begin(tries), std::end(tries), [this](Try one) { return try_all(one); })) break;
    result_.candidates = all_that_fit(paired_);
    std::erase_if(result_.left_out, [this](const auto& each) { return taken_[each.first]; });
    for (const auto& [gone, before] : result_.left_out) classes_[gone] = classes_[before];
    result_.classes = std::move(classes_);
    result_.taken = std::move(taken_);
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
      // All outputs of an operator are steps of their own, one after the other; the first asks for all.
      const bool asks_for_all = first == 0 || !same_operator(first - 1, first);
      StepId id = first;
      do {
        if (result_.partners[d_.steps()[id].output] == none) forward(id) || by_weight(id);
        if (result_.partners[d_.steps()[id].output] != none) backward(id);
      } while (asks_for_all && ++id < d_.steps().size() && same_operator(first, id));
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
    Root found = one_class([](const Step&) { return true; });
    if (found == none) found = one_class([&](const Step& each) { return each.detail == step.detail; });
    if (found == none && step.start >= 0)
      found = one_class([&](const Step& each) { return each.start == step.start; });
    return found;
  }

  bool forward(StepId id) {
    const Step& step = d_.steps()[id];
    bool changed = false;
    if (!codes_of(step, codes_, variable_, changed) || variable_.empty()) return false;
    if (!known_.by_key.find(Numbering::key_of(step, codes_), found_)) return false;
    const Root root = agreed(found_, step);
    if (root == none) return false;
    const auto named = named_.find(step.output);
    const bool same_name = named != named_.end() && named->second == root;
    // Something may have been left out before it: then one of the same name reads the same.
    if (named != named_.end() && classes_[named->second] != classes_[root] && by_name(id)) return true;
    settle(step, root, same_name ? Proof::name : Proof::inputs);
    return true;
  }

  // What is left out after an operation, because its weights or the quantising of its result do the same.
  Root past_left_out(const Step& step, Root root, bool changed_weight) const {
    return past_activation(a_, d_, step, changed_weight ? past_folded(a_, d_, step, root) : root);
  }

  void settle(const Step& step, Root root, Proof proof) {
    const bool rescaled = d_.has_rescaled() && reads_changed_weight(step.node, true);
    const Root end = past_left_out(step, root, proof == Proof::alone || rescaled);
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
    // Those that are not paired with any of the partner's, and the partner's that are paired with none.
    std::vector<Root> open, left;
    const auto same = [&](Root mine, Root other) {
      return result_.partners[mine] != none && classes_[result_.partners[mine]] == classes_[other];
    };
    for (const Root mine : ours)
      if (d_.constant(mine) == nullptr &&
          std::none_of(others.begin(), others.end(), [&](Root other) { return same(mine, other); }))
        open.push_back(mine);
    for (const Root other : others)
      if (a_.constant(other) == nullptr &&
          std::none_of(ours.begin(), ours.end(), [&](Root mine) { return same(mine, other); }))
        left.push_back(other);
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
    if (d_.constant(ours) != nullptr || a_.constant(theirs) != nullptr) return;
    if (const Root other = result_.partners[ours]; other != none) {
      if (classes_[other] != classes_[theirs] && is_same_or_left_out(other, theirs))
        result_.left_out.emplace(theirs, a_.inputs(a_.steps()[a_.maker(theirs)]).front());
      if (result_.proofs[ours] == Proof::outputs && classes_[other] != classes_[theirs] &&
          made_alike(ours, theirs))
        add_merged(ours, theirs);
      return;
    }
    // What did nothing before it may be gone.
    const Root before = made_alike(ours, theirs) ? theirs : a_.handed_on(theirs);
    if (made_alike(ours, before))
      pair(ours, before, Proof::outputs);
    else
      suggest(ours, before);
  }

  // Its readers read several: they were merged.
  void add_merged(Root ours, Root theirs) {
    std::vector<Root>& merged = result_.merged[ours];
    if (merged.size() >= Net::most_merged || std::find(merged.begin(), merged.end(), theirs) != merged.end())
      return;
    merged.push_back(theirs);
    taken_[theirs] = true;
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
        return partner != none ? is_same_or_left_out(partner, other) : called_alike(d_, ours, a_, other);
      });
      if (partner != none && !found) return false;
      supported |= found;
    }
    if (supported) pair(step.output, named->second, Proof::name);
    return supported;
  }

  // Whether a value of the ancestor is another one, or would be if what may do nothing is gone.
  bool is_same_or_left_out(Root one, Root other) const {
    if (classes_[one] == classes_[other]) return true;
    const StepId maker = a_.maker(other);
    if (maker == none || taken_[other] || a_.inputs(a_.steps()[maker]).empty()) return false;
    return has_trait(a_.model().node(a_.steps()[maker].node), Trait::may_be_noop) &&
           classes_[a_.inputs(a_.steps()[maker]).front()] == classes_[one];
  }

  // A value that a hint names: the same if all between it and what its maker reads was fused.
  bool by_hint(StepId id) {
    const Step& step = d_.steps()[id];
    const Root hint = hints_[step.output];
    if (hint == none || result_.partners[step.output] != none || a_.maker(hint) == none) return false;
    return fused(step, hint) || split(step, hint);
  }

  bool fused(const Step& step, Root hint) {
    auto region = regions_.fused(step, hint);
    if (!region) return false;
    const Root end = past_left_out(step, hint, reads_changed_weight(step.node, false));
    if (end != hint) region->insert(region->begin(), a_.maker(end));
    if (region->size() > 1) {
      result_.region_of[step.output] = static_cast<std::uint32_t>(result_.regions.size());
      result_.regions.push_back(*std::move(region));
    }
    pair(step.output, end, Proof::region);
    return true;
  }

  // In other ways than by being quantised. `rescaled`: row by row or column by column, for certain.
  bool reads_changed_weight(onnx::NodeId id, bool rescaled) const {
    const auto inputs = d_.model().node(id).inputs();
    return std::any_of(inputs.begin(), inputs.end(), [&](onnx::ValueId value) {
      const Constant* const weight = value == none ? nullptr : d_.constant(d_.root(value));
      if (weight == nullptr || weight->rescaled || rescaled) return weight != nullptr && weight->rescaled;
      return (weight->is_float && weight->changed) ||
             ((weight->is_float || weight->may_be_weight()) && !known_.contents.contains(weight->content));
    });
  }

  // The other way round: one operation of the ancestor was taken apart.
  bool split(const Step& step, Root hint) {
    auto parts = regions_.parts_of(step, hint);
    if (!parts) return false;
    result_.splits.emplace_back(step.output, *std::move(parts));
    pair(step.output, hint, Proof::region);
    return true;
  }

  bool by_parts(StepId id) {
    const Step& step = d_.steps()[id];
    if (result_.partners[step.output] != none) return false;
    const Root whole = regions_.whole_of(step);
    return whole != none && split(step, whole);
  }

  bool by_end(StepId id) {
    const Step& step = d_.steps()[id];
    if (result_.partners[step.output] != none) return false;
    const Root end = regions_.end_of(step);
    return end != none && fused(step, end);
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
    const StepId theirs = one_that_fits(paired_, id);
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
  const Paired paired_;
  Regions regions_;
  std::deque<StepId> queue_;
  std::vector<std::uint64_t> codes_, variable_;  // kept from step to step
  std::vector<StepId> found_;
  std::vector<Root> ours_, theirs_;
};

}  // namespace

Pairing pair(const Net& ancestor, const Net& descendant) { return Pairer(ancestor, descendant).run(); }

}  // namespace thence::transfer
