// The parts of a small model, as bytes, for the tests of src/onnx.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/layout.h"
#include "proto.h"

namespace thence::test {

using namespace onnx;  // the enums of field numbers
using Names = std::initializer_list<std::string_view>;

inline Message node(std::string_view op, Names inputs, Names outputs, std::string_view name = "") {
  Message made;
  for (const auto input : inputs) made.text(NodeField::input, input);
  for (const auto output : outputs) made.text(NodeField::output, output);
  if (!name.empty()) made.text(NodeField::name, name);
  return made.text(NodeField::op_type, op);
}

inline Message value_info(std::string_view name) { return Message().text(ValueInfoField::name, name); }

inline Message tensor(std::string_view name) { return Message().text(TensorField::name, name); }

inline Message graph(std::initializer_list<Message> nodes, Names inputs = {}, Names outputs = {}) {
  Message made;
  for (const auto& one : nodes) made.inner(GraphField::node, one);
  for (const auto input : inputs) made.inner(GraphField::input, value_info(input));
  for (const auto output : outputs) made.inner(GraphField::output, value_info(output));
  return made;
}

inline Message body(std::string_view attribute, const Message& graph) {
  return Message().text(AttributeField::name, attribute).inner(AttributeField::g, graph);
}

inline Message model(const Message& graph) { return Message().inner(ModelField::graph, graph); }

inline Message function(std::string_view name, std::initializer_list<Message> nodes, Names inputs,
                        Names outputs) {
  Message made;
  made.text(FunctionField::name, name);
  for (const auto input : inputs) made.text(FunctionField::input, input);
  for (const auto output : outputs) made.text(FunctionField::output, output);
  for (const auto& one : nodes) made.inner(FunctionField::node, one);
  return made;
}

/// Names of a node's inputs or outputs; "" where one is left out.
inline std::vector<std::string> names_of(const Model& model, std::span<const ValueId> values) {
  std::vector<std::string> names;
  for (const ValueId value : values) names.emplace_back(value == none ? "" : model.value_name(value));
  return names;
}

/// "node 3", "initializer 0", "graph input" or "undefined": what makes an input of a node.
inline std::string producer_of(const Model& model, NodeId node, std::size_t input) {
  const ValueId value = model.node(node).inputs()[input];
  if (value == none) return "left out";
  const Producer producer = model.producer(value);
  switch (producer.kind) {
    case Producer::Kind::node: return "node " + std::to_string(producer.index);
    case Producer::Kind::initializer: return "initializer " + std::to_string(producer.index);
    case Producer::Kind::graph_input: return "graph input";
    case Producer::Kind::undefined: return "undefined";
  }
  return "";
}

}  // namespace thence::test
