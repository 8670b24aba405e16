// Side: one of the two models that are compared, and what is known of it.
#pragma once

#include <optional>
#include <string_view>

#include "dataflow/value_graph.h"
#include "diff/settings.h"
#include "semantics/map.h"

namespace thence::diff {

struct Side {
  /// With the weights of the other model: those that were changed are seen as what they were.
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
  /// The constant that a value is, or is another form of; null for others.
  const Tensor* weight(onnx::ValueId value) {
    if (value == onnx::none) return nullptr;
    if (const Tensor* const tensor = constants.of(value)) return tensor;
    const dataflow::CanonicalValue canonical = graph.canonical(value);
    return canonical < model.value_count() ? constants.of(canonical) : nullptr;
  }
  /// Whether a node makes but a constant, which is compared where it is read.
  bool is_constant(onnx::NodeId node) const { return constants.makes(model.node(node)); }
  /// The path of a node's module; none when it is not known.
  std::optional<std::string_view> module(onnx::NodeId node) const {
    const resolve::Attribution& answer = map.answer(node);
    if (!answer.known()) return std::nullopt;
    return map.tree()[answer.module].path;
  }
  /// Whether evidence of its own names a node's module, and surely so.
  bool surely(onnx::NodeId node) const {
    const resolve::Attribution& answer = map.answer(node);
    return answer.known() && !answer.inferred && semantics::level_of(answer) == "high";
  }
};

/// Whether both files name the modules of two nodes, and not the same one.
inline bool are_surely_of_two_modules(const Side& a, onnx::NodeId one, const Side& b, onnx::NodeId other) {
  return a.surely(one) && b.surely(other) && *a.module(one) != *b.module(other);
}

}  // namespace thence::diff
