#include "transfer/pairing.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "base/text_hash.h"
#include "transfer/mix.h"

namespace thence::transfer {
namespace {

constexpr std::size_t most_alike = 64;       // candidates looked at for one step: masks and shapes have many
constexpr std::size_t largest_region = 160;  // steps fused into one node
constexpr std::size_t least_weight = 4;      // elements of a constant that may tell operations apart
constexpr int most_rounds = 64;

// Steps by a hash, several under one.
class Index {
 public:
  void add(std::uint64_t key, StepId step) {
    const auto [entry, fresh] = first_.try_emplace(key, static_cast<std::uint32_t>(items_.size()));
    items_.push_back({step, fresh ? none : entry->second});
    entry->second = static_cast<std::uint32_t>(items_.size() - 1);
  }
  /// False when there are more than anybody looks at.
  bool find(std::uint64_t key, std::vector<StepId>& found) const {
    found.clear();
    const auto entry = first_.find(key);
    if (entry == first_.end()) return true;
    for (std::uint32_t at = entry->second; at != none; at = items_[at].next) {
      if (found.size() == most_alike) return false;
      found.push_back(items_[at].step);
    }
    return true;
  }

 private:
  struct Item {
    StepId step;
    std::uint32_t next;
  };
  std::unordered_map<std::uint64_t, std::uint32_t> first_;
  std::vector<Item> items_;
};

class Pairer {
 public:
  Pairer(const Net& ancestor, const Net& descendant) : a_(ancestor), d_(descendant) {
    result_.partners.assign(d_.root_count(), none);
    result_.proofs.assign(d_.root_count(), Proof::not_proven);
    result_.region_of.assign(d_.root_count(), 0);
    result_.regions.emplace_back();
    hints_.assign(d_.root_count(), none);
    taken_.assign(a_.root_count(), false);
    number_ancestor();
  }

  Pairing run() {
    seed_inputs();
    seed_names();
    seed_outputs();
    for (StepId id = 0; id < d_.steps().size(); ++id) queue_.push_back(id);
    for (int round = 0; round < most_rounds; ++round) {
      drain();
      bool changed = false;
      for (StepId id = 0; id < d_.steps().size(); ++id) changed |= by_hint(id);
      if (changed) continue;
      for (StepId id = 0; id < d_.steps().size() && !changed; ++id) changed |= alone(id);
      if (!changed) break;
    }
    result_.classes = std::move(classes_);
    return std::move(result_);
  }

 private:
  // --- the ancestor ---

  std::uint64_t ancestor_code(Root root) const {
    const Constant* const constant = a_.constant(root);
    if (constant != nullptr && constant->content != 0) return constant->content;
    return classes_[root];
  }

  std::uint64_t key_of(const Step& step, std::vector<std::uint64_t>& codes) const {
    if (step.commutes) std::sort(codes.begin(), codes.end());
    std::uint64_t key = mixed(step.op, step.place);
    for (const std::uint64_t code : codes) key = mixed(key, code);
    return key;
  }

  static std::uint64_t weight_key(const Step& step, const Constant& weight) {
    return mixed(mixed(step.op, step.place), weight.content ^ 0x77);
  }

  void number_ancestor() {
    classes_.resize(a_.root_count());
    for (Root root = 0; root < classes_.size(); ++root) classes_[root] = mixed(root, 0x616e63);
    std::vector<std::uint64_t> codes, variable;
    for (StepId id = 0; id < a_.steps().size(); ++id) {
      const Step& step = a_.steps()[id];
      codes.clear();
      variable.clear();
      for (const Root root : a_.inputs(step)) {
        codes.push_back(ancestor_code(root));
        const Constant* const constant = a_.constant(root);
        if (constant == nullptr)
          variable.push_back(codes.back());
        else if (constant->content != 0) {
          contents_.try_emplace(constant->content, true);
          if (constant->elements >= least_weight) by_weight_.add(weight_key(step, *constant), id);
        }
      }
      const bool fixed = variable.empty();
      const std::uint64_t key = key_of(step, codes);
      classes_[step.output] = mixed(key, step.detail);
      if (fixed && !a_.inputs(step).empty()) continue;
      by_key_.add(key, id);
      if (variable.size() < codes.size()) by_partial_.add(key_of(step, variable), id);
    }
  }

  // --- seeds ---

  void seed_inputs() {
    const auto& ours = d_.model().graphs()[0].inputs;
    const auto& theirs = a_.model().graphs()[0].inputs;
    std::unordered_map<std::string_view, onnx::ValueId> by_name;
    for (const onnx::ValueId value : theirs)
      if (a_.constant(a_.root(value)) == nullptr) by_name.emplace(a_.model().value_name(value), value);
    for (const onnx::ValueId value : ours) {
      const auto same = by_name.find(d_.model().value_name(value));
      if (same != by_name.end()) pair(d_.root(value), a_.root(same->second), Proof::input);
    }
  }

  void seed_outputs() {
    const auto& ours = d_.model().graphs()[0].outputs;
    const auto& theirs = a_.model().graphs()[0].outputs;
    if (ours.size() != theirs.size()) return;
    for (std::size_t i = 0; i < ours.size(); ++i)
      if (ours[i] != none && theirs[i] != none) suggest(d_.root(ours[i]), a_.root(theirs[i]));
  }

  // Values whose names survived. A name by itself proves nothing: the operator must be the same, and so must
  // the weights; otherwise it is only a hint.
  void seed_names() {
    std::unordered_map<std::string_view, Root> by_name;
    for (const Step& step : a_.steps())
      if (step.output < a_.model().value_count())
        by_name.emplace(a_.model().value_name(step.output), step.output);
    for (const Step& step : d_.steps()) {
      if (step.output >= d_.model().value_count() || d_.constant(step.output) != nullptr) continue;
      const auto same = by_name.find(d_.model().value_name(step.output));
      if (same == by_name.end() || a_.constant(same->second) != nullptr) continue;
      const Step& theirs = a_.steps()[a_.maker(same->second)];
      if (theirs.op == step.op && theirs.place == step.place && same_weights(step, theirs))
        named_.emplace(step.output, same->second);
      suggest(step.output, same->second);
    }
  }

  bool same_weights(const Step& ours, const Step& theirs) const {
    const auto weights = [](const Net& net, const Step& step) {
      std::vector<std::uint64_t> found;
      for (const Root root : net.inputs(step))
        if (const Constant* const constant = net.constant(root)) found.push_back(constant->content);
      std::sort(found.begin(), found.end());
      return found;
    };
    return weights(d_, ours) == weights(a_, theirs);
  }

  // --- the worklist ---

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
        changed_weight |= constant->content == 0 || !contents_.contains(constant->content);
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
    if (!by_key_.find(key_of(step, codes_), found_)) return false;
    const Root root = agreed(found_, step);
    if (root == none) return false;
    const auto named = named_.find(step.output);
    pair(step.output, root, named != named_.end() && named->second == root ? Proof::name : Proof::inputs);
    return true;
  }

  bool by_weight(StepId id) {
    const Step& step = d_.steps()[id];
    for (const Root root : d_.inputs(step)) {
      const Constant* const constant = d_.constant(root);
      if (constant == nullptr || constant->content == 0 || constant->elements < least_weight) continue;
      if (!by_weight_.find(weight_key(step, *constant), found_) || found_.size() != 1) continue;
      const Step& theirs = a_.steps()[found_.front()];
      if (taken_[theirs.output] || theirs.input_count != step.input_count) continue;
      pair(step.output, theirs.output, Proof::weight);
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
    if (theirs.op != step.op || theirs.input_count != step.input_count) return;
    const auto ours = d_.inputs(step), others = a_.inputs(theirs);
    if (!step.commutes) {
      for (std::size_t i = 0; i < ours.size(); ++i) read_in_place(ours[i], others[i]);
      return;
    }
    Root open = none, left = none;
    std::size_t open_count = 0, left_count = 0;
    for (const Root root : ours)
      if (d_.constant(root) == nullptr && result_.partners[root] == none) open = root, ++open_count;
    for (const Root root : others) {
      if (a_.constant(root) != nullptr) continue;
      const bool used = std::any_of(ours.begin(), ours.end(), [&](Root mine) {
        return result_.partners[mine] != none && classes_[result_.partners[mine]] == classes_[root];
      });
      if (!used) left = root, ++left_count;
    }
    if (open_count == 1 && left_count == 1) read_in_place(open, left);
  }

  void read_in_place(Root ours, Root theirs) {
    if (result_.partners[ours] != none || d_.constant(ours) != nullptr || a_.constant(theirs) != nullptr)
      return;
    const StepId mine = d_.maker(ours), other = a_.maker(theirs);
    if (mine != none && other != none && d_.steps()[mine].op == a_.steps()[other].op &&
        d_.steps()[mine].place == a_.steps()[other].place)
      pair(ours, theirs, Proof::outputs);
    else
      suggest(ours, theirs);
  }

  // --- what is left ---

  // A value that a hint names: the same if all between it and the inputs of its maker was fused.
  bool by_hint(StepId id) {
    const Step& step = d_.steps()[id];
    const Root hint = hints_[step.output];
    if (hint == none || result_.partners[step.output] != none) return false;
    const StepId maker = a_.maker(hint);
    if (maker == none) return false;
    std::vector<StepId> region;
    if (!lies_between(step, hint, region)) return false;
    if (region.size() > 1) {
      result_.region_of[step.output] = static_cast<std::uint32_t>(result_.regions.size());
      result_.regions.push_back(std::move(region));
    }
    pair(step.output, hint, Proof::region);
    return true;
  }

  // All that makes `end` in the ancestor, back to what the step reads; false when it comes of anything else.
  bool lies_between(const Step& step, Root end, std::vector<StepId>& region) const {
    std::vector<std::uint64_t> starts;
    for (const Root root : d_.inputs(step)) {
      if (d_.constant(root) != nullptr) continue;
      if (result_.partners[root] == none) return false;
      starts.push_back(classes_[result_.partners[root]]);
    }
    if (starts.empty()) return false;
    std::vector<Root> open{end};
    std::vector<bool> reached(starts.size(), false);
    std::unordered_map<Root, bool> seen{{end, true}};
    for (std::size_t at = 0; at < open.size(); ++at) {
      if (at > largest_region) return false;
      const auto start = std::find(starts.begin(), starts.end(), classes_[open[at]]);
      if (start != starts.end()) {
        for (std::size_t i = 0; i < starts.size(); ++i) reached[i] = reached[i] || starts[i] == *start;
        continue;
      }
      if (a_.constant(open[at]) != nullptr) continue;
      const StepId maker = a_.maker(open[at]);
      if (maker == none || (at > 0 && taken_[open[at]])) return false;
      region.push_back(maker);
      for (const Root root : a_.inputs(a_.steps()[maker]))
        if (seen.emplace(root, true).second) open.push_back(root);
    }
    return std::all_of(reached.begin(), reached.end(), [](bool each) { return each; });
  }

  // The one operation of its kind that reads the same values, where weights were changed past recognition.
  bool alone(StepId id) {
    const Step& step = d_.steps()[id];
    if (result_.partners[step.output] != none) return false;
    bool changed = false;
    if (!codes_of(step, codes_, variable_, changed) || variable_.empty() || !changed) return false;
    const std::uint64_t key = key_of(step, variable_);
    if (!by_partial_.find(key, found_)) return false;
    const Root root = agreed(found_, step);
    if (root == none || taken_[root]) return false;
    for (const StepId other : d_.readers(d_.inputs(step)[0]))  // another one that might be meant as well
      if (other != id && d_.steps()[other].op == step.op &&
          result_.partners[d_.steps()[other].output] == none)
        return false;
    pair(step.output, root, Proof::alone);
    return true;
  }

  const Net &a_, &d_;
  Pairing result_;
  std::vector<std::uint64_t> classes_;  // by root of the ancestor
  std::vector<Root> hints_;             // by root of the descendant
  std::vector<bool> taken_;             // by root of the ancestor
  std::unordered_map<Root, Root> named_;
  std::unordered_map<std::uint64_t, bool> contents_;  // of the ancestor's constants
  Index by_key_, by_weight_, by_partial_;
  std::deque<StepId> queue_;
  std::vector<std::uint64_t> codes_, variable_;  // kept from step to step
  std::vector<StepId> found_;
};

}  // namespace

Pairing pair(const Net& ancestor, const Net& descendant) { return Pairer(ancestor, descendant).run(); }

}  // namespace thence::transfer
