#include "transfer/seeds.h"

#include <algorithm>
#include <string_view>

#include "base/text_index.h"

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
void find_names(const Net& theirs, const Net& ours, Seeds& seeds) {
  base::TextIndex by_name;
  const auto name_of = [&](Root root) { return theirs.model().value_name(root); };
  for (const Step& step : theirs.steps())
    if (step.output < theirs.model().value_count() &&
        by_name.find(name_of(step.output), name_of) == base::TextIndex::nothing)
      by_name.add(name_of(step.output), step.output);
  for (const Step& step : ours.steps()) {
    if (step.output >= ours.model().value_count() || ours.constant(step.output) != nullptr) continue;
    const Root same = by_name.find(ours.model().value_name(step.output), name_of);
    if (same == base::TextIndex::nothing || theirs.constant(same) != nullptr) continue;
    const Step& other = theirs.steps()[theirs.maker(same)];
    if (other.op == step.op && other.place == step.place &&
        weights_of(ours, step) == weights_of(theirs, other))
      seeds.named.emplace(step.output, same);
    seeds.hints.emplace_back(step.output, same);
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
