#include "pipeline/shared_answers.h"

#include <algorithm>

#include "dataflow/uses.h"

namespace thence::pipeline {
namespace {

using evidence::AncestorAnswer;
using evidence::AncestorAnswers;
using modules::ModuleId;
using modules::no_module;
using onnx::NodeId;
using transfer::Origin;

class SharedAnswers {
 public:
  SharedAnswers(const LayerIds& layers, const onnx::Model& derived, AncestorAnswers& answers)
      : layers_(layers), derived_(derived), answers_(answers), uses_(derived) {}

  void settle(NodeId id) {
    const ModuleId module = find_module(id);
    if (module == no_module) return;
    AncestorAnswer& answer = answers_.answers[id];
    answer.first_module = static_cast<std::uint32_t>(answers_.modules.size());
    answer.module_count = 1;
    answers_.modules.push_back(module);
    answers_.parts.push_back(evidence::Part::other);
  }

 private:
  // The module in whose layer all consumers are; none if they are in several, shared ones included, or
  // outside.
  ModuleId find_module(NodeId id) const {
    ModuleId found = no_module;
    for (const onnx::ValueId output : derived_.node(id).outputs())
      for (const NodeId consumer : output == onnx::none ? std::span<const NodeId>() : uses_.of(output)) {
        const auto modules = answers_.modules_of(consumer);
        if (modules.empty()) return no_module;
        for (const ModuleId each : modules) {
          const ModuleId module = module_in_layer_of(id, each);
          if (module == no_module || (found != no_module && module != found)) return no_module;
          found = module;
        }
      }
    return found;
  }

  ModuleId module_in_layer_of(NodeId id, ModuleId consumer) const {
    const auto modules = answers_.modules_of(id);
    const std::uint32_t layer = layers_.of(consumer);
    if (layer == LayerIds::no_layer) return no_module;
    const auto same = std::find_if(modules.begin(), modules.end(),
                                   [&](ModuleId each) { return layers_.of(each) == layer; });
    return same == modules.end() ? no_module : *same;
  }

  const LayerIds& layers_;
  const onnx::Model& derived_;
  AncestorAnswers& answers_;
  dataflow::Uses uses_;
};

// By node of the ancestor: how many nodes of the derived model compute it.
std::vector<std::uint32_t> count_copies(const std::vector<Origin>& origins, const onnx::Model& ancestor) {
  std::vector<std::uint32_t> copies(ancestor.node_count());
  for (const Origin& origin : origins)
    if (origin.kind == transfer::OriginKind::computes || origin.kind == transfer::OriginKind::view)
      ++copies[origin.nodes.front()];
  return copies;
}

}  // namespace

void settle_shared_answers(const LayerIds& layers, const onnx::Model& derived,
                           const std::vector<Origin>& origins, AncestorAnswers& answers) {
  const std::vector<std::uint32_t> copies = count_copies(origins, *answers.model);
  std::vector<NodeId> shared;
  for (NodeId id = 0; id < origins.size(); ++id)
    if (answers.answers[id].no_answer == evidence::NoAnswer::none && answers.answers[id].module_count > 1 &&
        copies[origins[id].nodes.front()] > 1)
      shared.push_back(id);
  if (shared.empty()) return;
  SharedAnswers settled(layers, derived, answers);
  // Consumers come after the node, so that their answers are already settled.
  for (auto id = shared.rbegin(); id != shared.rend(); ++id) settled.settle(*id);
}

}  // namespace thence::pipeline
