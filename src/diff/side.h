// Side: one of the two compared models, and what is known about it.
#pragma once

#include <optional>
#include <string_view>

#include "dataflow/value_graph.h"
#include "diff/settings.h"
#include "semantics/map.h"

namespace thence::diff {

struct Side {
  /// `other`: the weights of the other model, by which changed ones are recognised.
  Side(const semantics::Map& its_map, dataflow::OperatorIds& operators,
       dataflow::WeightMatcher* other = nullptr)
      : map(its_map),
        model(its_map.model()),
        constants(model),
        opset(opset_of(model)),
        graph(model, operators, other) {}

  const semantics::Map& map;
  const onnx::Model& model;
  Constants constants;
  std::int64_t opset;
  dataflow::ValueGraph graph;

  std::vector<Setting> settings(onnx::NodeId node) { return settings_of(model.node(node), constants, opset); }
  /// The constant that a value is, or is a view of; null for other values.
  const Tensor* weight(onnx::ValueId value) {
    if (value == onnx::none) return nullptr;
    if (const Tensor* const tensor = constants.of(value)) return tensor;
    const dataflow::CanonicalValue canonical = graph.canonical(value);
    return canonical < model.value_count() ? constants.of(canonical) : nullptr;
  }
  /// Whether a node only writes a constant, which is compared where it is read.
  bool is_constant(onnx::NodeId node) const { return constants.is_constant_node(model.node(node)); }
  /// The path of a node's module; nothing if it is not known.
  std::optional<std::string_view> module(onnx::NodeId node) const {
    const resolve::Attribution& answer = map.answer(node);
    if (!answer.known()) return std::nullopt;
    return map.tree()[answer.module].path;
  }
  /// Whether evidence about the node itself names its module with high confidence.
  bool is_certain(onnx::NodeId node) const {
    const resolve::Attribution& answer = map.answer(node);
    return answer.known() && !answer.is_inferred && semantics::level_of(answer) == "high";
  }
};

/// Whether the modules of two nodes are certain, and differ.
inline bool are_certainly_in_different_modules(const Side& a, onnx::NodeId one, const Side& b,
                                               onnx::NodeId other) {
  return a.is_certain(one) && b.is_certain(other) && *a.module(one) != *b.module(other);
}

}  // namespace thence::diff
