#include "transfer/seeds.h"

#include <algorithm>
#include <string_view>

#include "base/text_index.h"
#include "hierarchy/derived_names.h"

namespace thence::transfer {
namespace {

void find_inputs(const Net& theirs, const Net& ours, Seeds& seeds) {
  std::unordered_map<std::string_view, onnx::ValueId> by_name;
  for (const onnx::ValueId value : theirs.model().graphs()[0].inputs)
    if (theirs.constant(theirs.root(value)) == nullptr)
      by_name.emplace(theirs.model().value_name(value), value);
  for (const onnx::ValueId value : ours.model().graphs()[0].inputs) {
    const auto same = by_name.find(ours.model().value_name(value));
    if (same != by_name.end()) seeds.inputs.emplace_back(ours.root(value), theirs.root(same->second));
  }
}

// By place, whatever they are called.
void find_outputs(const Net& theirs, const Net& ours, Seeds& seeds) {
  const auto &made = ours.model().graphs()[0].outputs, &wanted = theirs.model().graphs()[0].outputs;
  if (made.size() != wanted.size()) return;
  for (std::size_t i = 0; i < made.size(); ++i)
    if (made[i] != none && wanted[i] != none)
      seeds.hints.emplace_back(ours.root(made[i]), theirs.root(wanted[i]));
}

std::vector<std::uint64_t> weights_of(const Net& net, const Step& step) {
  std::vector<std::uint64_t> found;
  for (const Root root : net.inputs(step))
    if (const Constant* const constant = net.constant(root)) found.push_back(constant->content);
  std::sort(found.begin(), found.end());
  return found;
}

// The ancestor's values by name: what steps make, and the forms that views give it.
class ValueNames {
 public:
  explicit ValueNames(const Net& net) : net_(net) {
    for (const Step& step : net.steps())
      if (step.output < net.model().value_count()) add(step.output);
    for (const onnx::NodeId id : net.order())
      if (net.is_view(id) && net.constant(net.root(net.model().node(id).outputs()[0])) == nullptr)
        add(net.model().node(id).outputs()[0]);
  }

  /// The value of this name, or of the one that it was derived from; none when there is none.
  onnx::ValueId find(std::string_view name) const {
    if (const onnx::ValueId same = exactly(name); same != none) return same;
    const std::string_view before = hierarchy::DerivedNames::shipped().original_value(name);
    return before == name ? none : exactly(before);
  }

 private:
  onnx::ValueId exactly(std::string_view name) const {
    const std::uint32_t found = by_name_.find(name, [this](std::uint32_t v) { return name_of(v); });
    return found == base::TextIndex::nothing ? none : found;
  }
  void add(onnx::ValueId value) {
    if (exactly(name_of(value)) == none) by_name_.add(name_of(value), value);
  }
  std::string_view name_of(onnx::ValueId value) const { return net_.model().value_name(value); }

  const Net& net_;
  base::TextIndex by_name_;
};

// A name by itself proves nothing: the operator must be the same, and so must the weights; otherwise it is
// only a hint.
void find_names(const Net& theirs, const Net& ours, Seeds& seeds) {
  const ValueNames names(theirs);
  for (const Step& step : ours.steps()) {
    if (step.output >= ours.model().value_count() || ours.constant(step.output) != nullptr) continue;
    const onnx::ValueId same = names.find(ours.model().value_name(step.output));
    if (same == none || theirs.constant(same) != nullptr) continue;
    const Root root = theirs.root(same);
    if (theirs.maker(root) == none) continue;
    const Step& other = theirs.steps()[theirs.maker(root)];
    if (root == same && other.op == step.op && other.place == step.place &&
        weights_of(ours, step) == weights_of(theirs, other))
      seeds.named.emplace(step.output, root);
    seeds.hints.emplace_back(step.output, root);
  }
}

}  // namespace

Seeds seeds_of(const Net& ancestor, const Net& descendant) {
  Seeds seeds;
  find_inputs(ancestor, descendant, seeds);
  find_names(ancestor, descendant, seeds);
  find_outputs(ancestor, descendant, seeds);
  return seeds;
}

}  // namespace thence::transfer
