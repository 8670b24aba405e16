#include "transfer/seeds.h"

#include <algorithm>
#include <string_view>

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

// A name by itself proves nothing: the operator must be the same, and so must the weights; otherwise it is
// only a hint.
void find_names(const Net& theirs, const Net& ours, const ValueNames& names, Seeds& seeds) {
  for (const Step& step : ours.steps()) {
    if (step.output >= ours.model().value_count() || ours.constant(step.output) != nullptr) continue;
    const onnx::ValueId same = names.same_or_derived(step.output);
    const Root root = same == none ? none : theirs.root(same);
    if (root == none || theirs.constant(root) != nullptr || theirs.maker(root) == none) continue;
    const Step& other = theirs.steps()[theirs.maker(root)];
    if (root == same && other.op == step.op && other.place == step.place &&
        weights_of(ours, step) == weights_of(theirs, other))
      seeds.named.emplace(step.output, root);
    seeds.hints.emplace_back(step.output, root);
  }
}

}  // namespace

Seeds seeds_of(const Net& ancestor, const Net& descendant, const ValueNames& names) {
  Seeds seeds;
  find_inputs(ancestor, descendant, seeds);
  find_names(ancestor, descendant, names, seeds);
  find_outputs(ancestor, descendant, seeds);
  return seeds;
}

}  // namespace thence::transfer
