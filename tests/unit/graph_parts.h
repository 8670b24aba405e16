// Small graphs with weights, shapes and attributes, for the tests of value graphs and of their matching.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dataflow/value_graph.h"
#include "onnx_parts.h"

namespace thence::test {

/// A float initializer. Different seeds give weights that do not correlate.
inline Message weight(std::string_view name, unsigned seed, std::vector<std::uint64_t> dims = {8, 4}) {
  std::uint64_t count = 1;
  for (const std::uint64_t size : dims) count *= size;
  std::vector<float> values(count);
  std::uint32_t state = seed * 2654435761u + 1;
  for (float& value : values) {
    state = state * 1664525 + 1013904223;
    value = static_cast<float>(state >> 8) / static_cast<float>(1 << 23) - 1;
  }
  Message made;
  for (const std::uint64_t size : dims) made.number(TensorField::dims, size);
  made.number(TensorField::data_type, 1);
  made.text(TensorField::raw_data,
            {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  return made.text(TensorField::name, name);
}

inline Message scalar(std::string_view name, float value) {
  Message made = Message().number(TensorField::data_type, 1);
  made.text(TensorField::raw_data, {reinterpret_cast<const char*>(&value), sizeof value});
  return made.text(TensorField::name, name);
}

inline Message integers(std::string_view name, const std::vector<std::int64_t>& values) {
  Message made = Message().number(TensorField::dims, values.size()).number(TensorField::data_type, 7);
  made.text(TensorField::raw_data,
            {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::int64_t)});
  return made.text(TensorField::name, name);
}

inline Message with_initializers(Message graph, std::initializer_list<Message> initializers) {
  for (const Message& each : initializers) graph.inner(GraphField::initializer, each);
  return graph;
}

inline Message with_ints(Message node, std::string_view attribute,
                         std::initializer_list<std::uint64_t> ints) {
  Message made = Message().text(AttributeField::name, attribute).number(AttributeField::type, 7);
  for (const std::uint64_t each : ints) made.number(AttributeField::ints, each);
  return node.inner(NodeField::attribute, made);
}

inline Message with_int(Message node, std::string_view attribute, std::uint64_t value) {
  return node.inner(NodeField::attribute, Message()
                                              .text(AttributeField::name, attribute)
                                              .number(AttributeField::type, 2)
                                              .number(AttributeField::i, value));
}

/// A graph input of floats with a known shape.
inline Message shaped_input(std::string_view name, std::initializer_list<std::uint64_t> sizes) {
  Message shape;
  for (const std::uint64_t size : sizes)
    shape.inner(ShapeField::dim, Message().number(DimensionField::value, size));
  const Message tensor = Message().number(TensorTypeField::elem_type, 1).inner(TensorTypeField::shape, shape);
  return value_info(name).inner(ValueInfoField::type, Message().inner(TypeField::tensor, tensor));
}

/// The model as it is written by exporters: with an opset.
inline Message exported(const Message& graph) {
  return model(graph).inner(ModelField::opset_import, Message().number(OpsetField::version, 17));
}

inline ValueId value_of(const Model& model, std::string_view name) {
  for (ValueId value = 0; value < model.value_count(); ++value)
    if (model.value_name(value) == name) return value;
  return none;
}

/// A model and its value graph.
struct GraphOf {
  GraphOf(const Message& graph, dataflow::OperatorIds& operators,
          dataflow::WeightMatcher* reference = nullptr)
      : read(exported(graph)), values(read.model(), operators, reference) {}

  dataflow::CanonicalValue canonical(std::string_view name) const {
    return values.canonical(value_of(read.model(), name));
  }
  /// The operation that writes a value.
  dataflow::OperationId producer(std::string_view name) const { return values.producer(canonical(name)); }
  const dataflow::Operation& operation(std::string_view name) const {
    return values.operation(producer(name));
  }
  std::string name(dataflow::CanonicalValue value) const {
    if (value == none) return "none";
    return value < read.model().value_count() ? std::string(read.model().value_name(value)) : "inside";
  }

  ReadModel read;
  dataflow::ValueGraph values;
};

}  // namespace thence::test
