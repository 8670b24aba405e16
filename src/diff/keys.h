// Keys: hashes that are equal for nodes that compute the same from the same values, whatever their names and
// positions.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dataflow/bodies.h"
#include "diff/side.h"

namespace thence::diff {

using Key = std::uint64_t;

class Keys {
 public:
  explicit Keys(Side& side);

  /// Visits all nodes, those of a body before its owner. `on_node` may replace the codes of a node's outputs.
  void run(const std::function<void(onnx::NodeId)>& on_node = {});

  Key exact(onnx::NodeId node) const { return exact_[node]; }
  /// Ignores views between nodes: reshapes, casts, quantisers.
  Key key_without_views(onnx::NodeId node) const { return keys_without_views_[node]; }
  /// The code of a value; equal for equal expressions.
  Key code(onnx::ValueId value) const { return codes_[value]; }
  void set_code(onnx::ValueId value, Key code) { codes_[value] = code; }
  /// The same, also for constants.
  Key code_of_input(onnx::ValueId value) const;
  /// The bodies of a node.
  std::span<const onnx::GraphId> bodies(onnx::NodeId node) const { return bodies_.held_by(node); }

  /// Calls `use` with two keys for each data input of a node: of the operator, the position and the value
  /// (true), and of the same without views (false).
  template <class Use>
  void each_read(onnx::NodeId id, Use use) const {
    const auto inputs = side_.model.node(id).inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == onnx::none || side_.graph.constant(side_.graph.canonical(inputs[i])) != nullptr)
        continue;
      use(operand_key(id, i, code_of_input(inputs[i])), true);
      use(operand_key(id, i, ~code_without_views(inputs[i])), false);
    }
  }

 private:
  void read_graph(onnx::GraphId id);
  void read_node(onnx::NodeId id);
  Key code_without_views(onnx::ValueId value) const;
  void read_inputs(const onnx::Node& node);
  void read_body(onnx::NodeId owner, onnx::GraphId body);
  Key base_key(const onnx::Node& node);
  Key operand_key(onnx::NodeId node, std::size_t position, Key code) const;

  Side& side_;
  std::function<void(onnx::NodeId)> on_node_;
  dataflow::Bodies bodies_;
  std::vector<Key> codes_;                       // by value
  std::vector<Key> exact_, keys_without_views_;  // by node
  std::size_t depth_ = 0;                        // of nested bodies
};

/// Nodes by key, in the order of the file.
class KeyIndex {
 public:
  explicit KeyIndex(std::vector<std::pair<Key, onnx::NodeId>> nodes);
  std::span<const std::pair<Key, onnx::NodeId>> find(Key key) const;

 private:
  std::vector<std::pair<Key, onnx::NodeId>> nodes_;
};

}  // namespace thence::diff
