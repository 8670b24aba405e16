// Keys: numbers that are equal for nodes that do the same to the same values, whatever things are called and
// wherever they stand.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "diff/side.h"

namespace thence::diff {

using Key = std::uint64_t;

class Keys {
 public:
  explicit Keys(Side& side);

  /// Goes through all nodes, those of a body before the one that holds it. `settle` may give the outputs of a
  /// node codes of its own choice; they have codes by its key already.
  void run(const std::function<void(onnx::NodeId)>& settle = {});

  Key exact(onnx::NodeId node) const { return exact_[node]; }
  /// Equal also where views lie between: reshapes, casts, quantisers.
  Key loose(onnx::NodeId node) const { return loose_[node]; }
  /// What a value is; equal for equal expressions.
  Key code(onnx::ValueId value) const { return codes_[value]; }
  void set_code(onnx::ValueId value, Key code) { codes_[value] = code; }
  /// The same, also of a constant.
  Key code_of_input(onnx::ValueId value) const;
  /// The bodies that a node holds.
  std::span<const onnx::GraphId> bodies(onnx::NodeId node) const {
    const auto owner = owners_.find(node);
    return owner == owners_.end() ? std::span<const onnx::GraphId>() : bodies_[owner->second];
  }

  /// Calls `use` with a key for each value that a node works on: equal for operators of one kind that read
  /// the same in the same place, as it is (true) and seen through views (false).
  template <class Use>
  void each_read(onnx::NodeId id, Use use) const {
    const auto inputs = side_.model.node(id).inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == onnx::none || side_.graph.constant(side_.graph.canonical(inputs[i])) != nullptr)
        continue;
      use(operand_key(id, i, code_of_input(inputs[i])), true);
      use(operand_key(id, i, ~loose_code(inputs[i])), false);
    }
  }

 private:
  void graph(onnx::GraphId id);
  void node(onnx::NodeId id);
  Key loose_code(onnx::ValueId value) const;
  void read_inputs(const onnx::Node& node);
  void read_body(onnx::NodeId owner, onnx::GraphId body);
  Key base_key(const onnx::Node& node);
  Key operand_key(onnx::NodeId node, std::size_t position, Key code) const;

  Side& side_;
  std::function<void(onnx::NodeId)> settle_;
  std::vector<Key> codes_;                          // by value
  std::vector<Key> exact_, loose_;                  // by node
  std::vector<std::vector<onnx::GraphId>> bodies_;  // by place in owners_
  std::unordered_map<onnx::NodeId, std::uint32_t> owners_;
  std::size_t depth_ = 0;  // of bodies in bodies
};

/// Nodes by a key, in the order of the file.
class KeyIndex {
 public:
  explicit KeyIndex(std::vector<std::pair<Key, onnx::NodeId>> nodes);
  std::span<const std::pair<Key, onnx::NodeId>> find(Key key) const;

 private:
  std::vector<std::pair<Key, onnx::NodeId>> nodes_;
};

}  // namespace thence::diff
