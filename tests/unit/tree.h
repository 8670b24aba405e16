// Tree: a protobuf message as a list of fields, so that a test can make a random model, put its fields in
// another order or cut its messages in two, and write it again.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "onnx_parts.h"

namespace thence::test {

struct Tree {
  struct Field {
    std::uint32_t number;
    bool is_varint = false;
    bool is_message = false;
    std::uint64_t varint = 0;
    std::string text;
    std::vector<Tree> message;  // one, when it is a message
  };
  std::vector<Field> fields;

  template <class Number>
  void number(Number field, std::uint64_t value) {
    fields.push_back({static_cast<std::uint32_t>(field), true, false, value, {}, {}});
  }
  template <class Number>
  void text(Number field, std::string value) {
    fields.push_back({static_cast<std::uint32_t>(field), false, false, 0, std::move(value), {}});
  }
  template <class Number>
  void inner(Number field, Tree tree) {
    fields.push_back({static_cast<std::uint32_t>(field), false, true, 0, {}, {std::move(tree)}});
  }

  std::string bytes() const {
    Message message;
    for (const Field& field : fields) {
      if (field.is_varint) {
        message.number(field.number, field.varint);
      } else {
        message.text(field.number, field.is_message ? field.message[0].bytes() : field.text);
      }
    }
    return message.bytes();
  }
};

// Random parts of a model. Names come from a few, so that they meet, hide and miss each other.
inline int draw(int below) { return *rc::gen::inRange(0, below); }
inline std::string any_name() { return *rc::gen::element<std::string>("", "a", "b", "c", "d", "e\xff"); }

inline Tree any_entry() {
  Tree entry;
  entry.text(EntryField::key, any_name());
  entry.text(EntryField::value, any_name());
  return entry;
}

inline Tree any_tensor() {
  Tree tensor;
  tensor.text(TensorField::name, any_name());
  for (int i = draw(3); i > 0; --i) tensor.number(TensorField::dims, static_cast<std::uint64_t>(draw(5)));
  tensor.number(TensorField::data_type, static_cast<std::uint64_t>(draw(30)));
  tensor.text(TensorField::raw_data, any_name());
  if (draw(2) != 0) tensor.inner(TensorField::metadata_props, any_entry());
  return tensor;
}

inline Tree any_value_info() {
  Tree dim;
  dim.number(DimensionField::value, static_cast<std::uint64_t>(draw(9)));
  Tree shape, tensor, type, info;
  shape.inner(ShapeField::dim, dim);
  tensor.number(TensorTypeField::elem_type, static_cast<std::uint64_t>(draw(20)));
  if (draw(2) != 0) tensor.inner(TensorTypeField::shape, shape);
  type.inner(draw(4) != 0 ? TypeField::tensor : TypeField::sparse_tensor, tensor);
  info.text(ValueInfoField::name, any_name());
  info.inner(ValueInfoField::type, type);
  return info;
}

Tree any_graph(int depth);

inline Tree any_attribute(int depth) {
  Tree attribute;
  attribute.text(AttributeField::name, any_name());
  attribute.number(AttributeField::type, static_cast<std::uint64_t>(draw(15)));
  attribute.number(AttributeField::i, *rc::gen::arbitrary<std::uint64_t>());
  for (int i = draw(3); i > 0; --i)
    attribute.number(AttributeField::ints, static_cast<std::uint64_t>(draw(300)));
  if (draw(3) == 0) attribute.text(AttributeField::strings, any_name());
  if (draw(3) == 0) attribute.inner(AttributeField::t, any_tensor());
  if (depth > 0 && draw(3) == 0) attribute.inner(AttributeField::g, any_graph(depth - 1));
  for (int i = depth > 0 ? draw(3) : 0; i > 0; --i)
    attribute.inner(AttributeField::graphs, any_graph(depth - 1));
  return attribute;
}

inline Tree any_node(int depth) {
  Tree node;
  for (int i = draw(4); i > 0; --i) node.text(NodeField::input, any_name());
  for (int i = draw(3); i > 0; --i) node.text(NodeField::output, any_name());
  node.text(NodeField::name, any_name());
  node.text(NodeField::op_type, any_name());
  if (draw(2) != 0) node.text(NodeField::domain, any_name());
  for (int i = draw(3); i > 0; --i) node.inner(NodeField::attribute, any_attribute(depth));
  if (draw(3) == 0) node.inner(NodeField::metadata_props, any_entry());
  return node;
}

inline Tree any_graph(int depth) {
  Tree graph;
  for (int i = draw(4); i > 0; --i) graph.inner(GraphField::node, any_node(depth));
  graph.text(GraphField::name, any_name());
  for (int i = draw(3); i > 0; --i) graph.inner(GraphField::initializer, any_tensor());
  if (draw(3) == 0) {
    Tree sparse;
    sparse.inner(SparseTensorField::values, any_tensor());
    sparse.number(SparseTensorField::dims, 4);
    graph.inner(GraphField::sparse_initializer, sparse);
  }
  for (int i = draw(3); i > 0; --i) graph.inner(GraphField::input, any_value_info());
  for (int i = draw(3); i > 0; --i) graph.inner(GraphField::output, any_value_info());
  if (draw(2) != 0) graph.inner(GraphField::value_info, any_value_info());
  return graph;
}

inline Tree any_model() {
  Tree model;
  model.number(ModelField::ir_version, static_cast<std::uint64_t>(draw(12)));
  model.text(ModelField::producer_name, any_name());
  model.inner(ModelField::graph, any_graph(2));
  for (int i = draw(3); i > 0; --i) {
    Tree function;
    function.text(FunctionField::name, any_name());
    function.text(FunctionField::domain, any_name());
    for (int j = draw(3); j > 0; --j) function.text(FunctionField::input, any_name());
    for (int j = draw(3); j > 0; --j) function.text(FunctionField::output, any_name());
    for (int j = draw(3); j > 0; --j) function.inner(FunctionField::node, any_node(1));
    model.inner(ModelField::functions, function);
  }
  return model;
}

}  // namespace thence::test
