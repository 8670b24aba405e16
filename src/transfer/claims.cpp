#include "transfer/claims.h"

namespace thence::transfer {
namespace {

constexpr std::size_t most_forms = 6;

// By root, the values of the main graph that hold it.
std::vector<std::vector<onnx::ValueId>> forms_of(const Net& net) {
  std::vector<std::vector<onnx::ValueId>> found(net.root_count());
  const onnx::Graph& main = net.model().graphs()[0];
  for (onnx::NodeId id = main.first_node; id < main.first_node + main.node_count; ++id)
    for (const onnx::ValueId value : net.model().node(id).outputs())
      if (value != none && found[net.root(value)].size() < most_forms)
        found[net.root(value)].push_back(value);
  return found;
}

}  // namespace

std::vector<Claim> claims_of(const Net& ancestor, const Net& descendant, const Pairing& pairing) {
  const auto theirs = forms_of(ancestor);
  auto ours = forms_of(descendant);
  std::vector<Claim> claims;
  for (const Step& step : descendant.steps()) {
    const Root partner = pairing.partners[step.output];
    const bool is_tensor = step.output < descendant.model().value_count() || !ours[step.output].empty();
    if (partner == none || !is_tensor || descendant.constant(step.output) != nullptr) continue;
    claims.push_back({step.output, step.node, std::move(ours[step.output]), theirs[partner]});
  }
  return claims;
}

}  // namespace thence::transfer
