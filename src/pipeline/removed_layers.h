// Layers of the ancestor that a derived model lacks. What it computes on the values that these layers read is
// not theirs: a node that feeds the weights of a remaining layer is a node of that layer.
#pragma once

#include <unordered_map>
#include <vector>

#include "pipeline/layer_ids.h"
#include "semantics/map.h"
#include "transfer/origins.h"

namespace thence::pipeline {

class RemovedLayers {
 public:
  RemovedLayers(const semantics::Map& ancestor, const LayerIds& layers,
                const std::vector<transfer::Origin>& origins);

  /// Whether the module is in a removed layer.
  bool has(modules::ModuleId module) const;
  bool is_empty() const { return !any_; }

  /// Replaces origins in removed layers by those that the consumers of a node have in the ancestor. A node
  /// for which there is none loses its origin.
  void follow_consumers(const onnx::Model& derived, std::vector<transfer::Origin>& origins) const;

 private:
  struct Layer {
    std::size_t weights = 0,
                found = 0;  // nodes that read weights, and those of them that the derived model has
    bool is_removed = false;
  };
  struct Use {
    onnx::NodeId consumer;
    std::size_t slot;
  };

  using UsesByValue = std::unordered_map<onnx::ValueId, std::vector<Use>>;

  bool is_of_removed(onnx::NodeId node) const;
  bool is_of_removed(const transfer::Origin& origin) const;
  UsesByValue find_uses(const onnx::Model& derived, const std::vector<transfer::Origin>& origins) const;
  onnx::NodeId find_by_consumers(const onnx::Model& derived, const std::vector<transfer::Origin>& origins,
                                 onnx::NodeId node, const std::vector<Use>& uses) const;
  onnx::NodeId find_operand(const onnx::Model& derived, onnx::NodeId node, const Use& use,
                            const transfer::Origin& origin) const;

  const semantics::Map& ancestor_;
  const LayerIds& layer_ids_;
  std::vector<Layer> layers_;
  bool any_ = false;
};

}  // namespace thence::pipeline
