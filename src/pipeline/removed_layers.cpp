#include "pipeline/removed_layers.h"

#include <algorithm>

namespace thence::pipeline {

using modules::ModuleId;
using modules::no_module;
using onnx::NodeId;
using transfer::Origin;
using transfer::OriginKind;

RemovedLayers::RemovedLayers(const semantics::Map& ancestor, const std::vector<Origin>& origins)
    : ancestor_(ancestor) {
  find_layers();
  std::vector<bool> is_origin(ancestor.model().node_count());
  for (const Origin& origin : origins)
    if (origin.kind == OriginKind::computes)
      for (const NodeId node : origin.nodes) is_origin[node] = true;
  for (NodeId id = 0; id < ancestor.model().node_count(); ++id) {
    const ModuleId owner = ancestor.own_answer(id).weight_owner;
    const std::uint32_t layer = owner == no_module ? no_layer : layer_of_[owner];
    if (layer == no_layer) continue;
    ++layers_[layer].weights;
    layers_[layer].found += is_origin[id];
  }
  // Where no layer of a list has its weights, they were changed beyond recognition and not removed.
  std::unordered_map<std::string_view, bool> has_remaining;
  for (const Layer& layer : layers_) has_remaining[layer.container] |= layer.found * 2 > layer.weights;
  for (Layer& layer : layers_) {
    layer.is_removed = layer.weights >= 2 && layer.found == 0 && has_remaining[layer.container];
    any_ |= layer.is_removed;
  }
}

void RemovedLayers::find_layers() {
  const modules::ModuleTree& tree = ancestor_.own_tree();
  for (ModuleId module = 0; module < tree.size(); ++module) layer_of_.push_back(add_layer(module));
}

std::uint32_t RemovedLayers::add_layer(ModuleId module) {
  const std::vector<modules::LayerStep> path = ancestor_.own_tree().layer_path(module);
  if (path.empty()) return no_layer;
  std::string container(path.front().container);
  const std::string key = container + '.' + std::to_string(path.front().index);
  const auto [found, is_new] = layer_ids_.emplace(key, static_cast<std::uint32_t>(layers_.size()));
  if (is_new) layers_.push_back({.container = std::move(container)});
  return found->second;
}

bool RemovedLayers::has(ModuleId module) const {
  return module != no_module && layer_of_[module] != no_layer && layers_[layer_of_[module]].is_removed;
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
