#include "pipeline/removed_layers.h"

#include <algorithm>

namespace thence::pipeline {

using modules::ModuleId;
using modules::no_module;
using onnx::NodeId;
using transfer::Origin;
using transfer::OriginKind;

RemovedLayers::RemovedLayers(const semantics::Map& ancestor, const LayerIds& layers,
                             const std::vector<Origin>& origins)
    : ancestor_(ancestor), layer_ids_(layers), layers_(layers.containers().size()) {
  std::vector<bool> is_origin(ancestor.model().node_count());
  for (const Origin& origin : origins)
    if (origin.kind == OriginKind::computes)
      for (const NodeId node : origin.nodes) is_origin[node] = true;
  for (NodeId id = 0; id < ancestor.model().node_count(); ++id) {
    const ModuleId owner = ancestor.own_answer(id).weight_owner;
    const std::uint32_t layer = owner == no_module ? LayerIds::no_layer : layers.of(owner);
    if (layer == LayerIds::no_layer) continue;
    ++layers_[layer].weights;
    layers_[layer].found += is_origin[id];
  }
  // Where no layer of a list has its weights, they were changed beyond recognition and not removed.
  std::unordered_map<std::string_view, bool> has_remaining;
  for (std::size_t i = 0; i < layers_.size(); ++i)
    has_remaining[layers.containers()[i]] |= layers_[i].found * 2 > layers_[i].weights;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    layers_[i].is_removed =
        layers_[i].weights >= 2 && layers_[i].found == 0 && has_remaining[layers.containers()[i]];
    any_ |= layers_[i].is_removed;
  }
}

bool RemovedLayers::has(ModuleId module) const {
  const std::uint32_t layer = module == no_module ? LayerIds::no_layer : layer_ids_.of(module);
  return layer != LayerIds::no_layer && layers_[layer].is_removed;
}

bool RemovedLayers::is_of_removed(NodeId node) const { return has(ancestor_.own_answer(node).module); }

// What the consumer's origin reads in the same place, if it is the same operation and in a remaining layer.
NodeId RemovedLayers::find_operand(const onnx::Model& derived, NodeId node, const Use& use,
                                   const Origin& origin) const {
  if (!origin.is_certain() || origin.nodes.empty() || has_origins_of_consumers(origin.kind))
    return onnx::none;
  const onnx::Model& ancestor = ancestor_.model();
  const onnx::Node theirs = ancestor.node(origin.nodes.front());
  if (theirs.op_type() != derived.node(use.consumer).op_type() || use.slot >= theirs.inputs().size())
    return onnx::none;
  const onnx::ValueId operand = theirs.inputs()[use.slot];
  if (operand == onnx::none || ancestor.producer(operand).kind != onnx::Producer::Kind::node)
    return onnx::none;
  const NodeId producer = ancestor.producer(operand).index;
  const bool fits =
      ancestor.node(producer).op_type() == derived.node(node).op_type() && !is_of_removed(producer);
  return fits ? producer : onnx::none;
}

// The one node on which all consumers agree that name one.
NodeId RemovedLayers::find_by_consumers(const onnx::Model& derived, const std::vector<Origin>& origins,
                                        NodeId node, const std::vector<Use>& uses) const {
  NodeId found = onnx::none;
  for (const Use& use : uses) {
    const NodeId operand = find_operand(derived, node, use, origins[use.consumer]);
    if (operand == onnx::none || operand == found) continue;
    if (found != onnx::none) return onnx::none;
    found = operand;
  }
  return found;
}

bool RemovedLayers::is_of_removed(const Origin& origin) const {
  return origin.is_certain() && !origin.nodes.empty() && is_of_removed(origin.nodes.front());
}

// By value that a node with a removed origin writes.
RemovedLayers::UsesByValue RemovedLayers::find_uses(const onnx::Model& derived,
                                                    const std::vector<Origin>& origins) const {
  UsesByValue uses;
  for (NodeId id = 0; id < origins.size(); ++id)
    if (is_of_removed(origins[id]))
      for (const onnx::ValueId output : derived.node(id).outputs()) uses.try_emplace(output);
  for (NodeId id = 0; id < origins.size(); ++id) {
    const auto inputs = derived.node(id).inputs();
    for (std::size_t slot = 0; slot < inputs.size(); ++slot)
      if (const auto found = uses.find(inputs[slot]); found != uses.end())
        found->second.push_back({id, slot});
  }
  return uses;
}

void RemovedLayers::follow_consumers(const onnx::Model& derived, std::vector<Origin>& origins) const {
  const UsesByValue uses = find_uses(derived, origins);
  // Consumers come after the node, so that their origins are already replaced.
  for (auto id = static_cast<NodeId>(origins.size()); id-- > 0;) {
    if (!is_of_removed(origins[id]) || derived.node(id).outputs().empty()) continue;
    const std::vector<Use>& own_uses = uses.at(derived.node(id).outputs()[0]);
    if (const NodeId node = find_by_consumers(derived, origins, id, own_uses); node != onnx::none) {
      origins[id] = {OriginKind::computes, transfer::Proof::consumers, {node}};
    } else if (has_origins_of_consumers(origins[id].kind)) {
      origins[id].nodes.clear();
      for (const Use& use : own_uses)
        for (const NodeId each : origins[use.consumer].nodes) origins[id].nodes.push_back(each);
      if (origins[id].nodes.empty()) origins[id] = {};
    }
  }
}

}  // namespace thence::pipeline
