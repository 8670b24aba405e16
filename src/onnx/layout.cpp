#include "onnx/layout.h"

namespace thence::onnx {
namespace {

template <class Field, class Content>
void set_content(wire::Layout& layout, MessageKind outer, Field field, Content content) {
  layout.messages[static_cast<std::size_t>(outer)][static_cast<std::size_t>(field)] =
      static_cast<std::uint8_t>(content);
}

wire::Layout make_layout() {
  // #lizard forgives: a table of the fields of ONNX's messages.
  wire::Layout all;
  all.messages.resize(static_cast<std::size_t>(MessageKind::count));
  set_content(all, MessageKind::model, ModelField::graph, MessageKind::graph);
  set_content(all, MessageKind::model, ModelField::opset_import, MessageKind::opset);
  set_content(all, MessageKind::model, ModelField::metadata_props, MessageKind::entry);
  set_content(all, MessageKind::model, ModelField::training_info, MessageKind::training);
  set_content(all, MessageKind::model, ModelField::functions, MessageKind::function);
  set_content(all, MessageKind::model, ModelField::configuration, MessageKind::configuration);
  set_content(all, MessageKind::graph, GraphField::node, MessageKind::node);
  set_content(all, MessageKind::graph, GraphField::initializer, MessageKind::tensor);
  set_content(all, MessageKind::graph, GraphField::input, MessageKind::value_info);
  set_content(all, MessageKind::graph, GraphField::output, MessageKind::value_info);
  set_content(all, MessageKind::graph, GraphField::value_info, MessageKind::value_info);
  set_content(all, MessageKind::graph, GraphField::quantization_annotation, MessageKind::annotation);
  set_content(all, MessageKind::graph, GraphField::sparse_initializer, MessageKind::sparse_tensor);
  set_content(all, MessageKind::graph, GraphField::metadata_props, MessageKind::entry);
  set_content(all, MessageKind::node, NodeField::attribute, MessageKind::attribute);
  set_content(all, MessageKind::node, NodeField::metadata_props, MessageKind::entry);
  set_content(all, MessageKind::node, NodeField::device_configurations, MessageKind::node_configuration);
  set_content(all, MessageKind::node_configuration, 2, MessageKind::sharding);
  set_content(all, MessageKind::sharding, 2, wire::packed_varints);
  set_content(all, MessageKind::sharding, 3, MessageKind::device_group);
  set_content(all, MessageKind::sharding, 4, MessageKind::sharded_dim);
  set_content(all, MessageKind::device_group, 2, wire::packed_varints);
  set_content(all, MessageKind::sharded_dim, 2, MessageKind::simple_sharded_dim);
  set_content(all, MessageKind::attribute, AttributeField::t, MessageKind::tensor);
  set_content(all, MessageKind::attribute, AttributeField::g, MessageKind::graph);
  set_content(all, MessageKind::attribute, AttributeField::tensors, MessageKind::tensor);
  set_content(all, MessageKind::attribute, AttributeField::graphs, MessageKind::graph);
  set_content(all, MessageKind::attribute, AttributeField::tp, MessageKind::type);
  set_content(all, MessageKind::attribute, AttributeField::type_protos, MessageKind::type);
  set_content(all, MessageKind::attribute, AttributeField::sparse_tensor, MessageKind::sparse_tensor);
  set_content(all, MessageKind::attribute, AttributeField::sparse_tensors, MessageKind::sparse_tensor);
  set_content(all, MessageKind::attribute, AttributeField::ints, wire::packed_varints);
  set_content(all, MessageKind::attribute, AttributeField::floats, wire::packed_fixed32);
  set_content(all, MessageKind::tensor, TensorField::dims, wire::packed_varints);
  set_content(all, MessageKind::tensor, TensorField::segment, MessageKind::segment);
  set_content(all, MessageKind::tensor, TensorField::external_data, MessageKind::entry);
  set_content(all, MessageKind::tensor, TensorField::metadata_props, MessageKind::entry);
  for (const TensorField field :
       {TensorField::float_data, TensorField::int32_data, TensorField::string_data, TensorField::int64_data,
        TensorField::raw_data, TensorField::double_data, TensorField::uint64_data})
    set_content(all, MessageKind::tensor, field, wire::weight_data);
  set_content(all, MessageKind::sparse_tensor, SparseTensorField::values, MessageKind::tensor);
  set_content(all, MessageKind::sparse_tensor, SparseTensorField::indices, MessageKind::tensor);
  set_content(all, MessageKind::sparse_tensor, SparseTensorField::dims, wire::packed_varints);
  set_content(all, MessageKind::value_info, ValueInfoField::type, MessageKind::type);
  set_content(all, MessageKind::value_info, ValueInfoField::metadata_props, MessageKind::entry);
  set_content(all, MessageKind::type, TypeField::tensor, MessageKind::tensor_type);
  set_content(all, MessageKind::type, TypeField::sequence, MessageKind::element_type);
  set_content(all, MessageKind::type, TypeField::map, MessageKind::map_type);
  set_content(all, MessageKind::type, TypeField::opaque, MessageKind::opaque_type);
  set_content(all, MessageKind::type, TypeField::sparse_tensor, MessageKind::tensor_type);
  set_content(all, MessageKind::type, TypeField::optional, MessageKind::element_type);
  set_content(all, MessageKind::tensor_type, TensorTypeField::shape, MessageKind::shape);
  set_content(all, MessageKind::element_type, 1, MessageKind::type);
  set_content(all, MessageKind::map_type, 2, MessageKind::type);
  set_content(all, MessageKind::shape, ShapeField::dim, MessageKind::dimension);
  set_content(all, MessageKind::function, FunctionField::node, MessageKind::node);
  set_content(all, MessageKind::function, FunctionField::opset_import, MessageKind::opset);
  set_content(all, MessageKind::function, FunctionField::attribute_proto, MessageKind::attribute);
  set_content(all, MessageKind::function, FunctionField::value_info, MessageKind::value_info);
  set_content(all, MessageKind::function, FunctionField::metadata_props, MessageKind::entry);
  set_content(all, MessageKind::training, 1, MessageKind::graph);
  set_content(all, MessageKind::training, 2, MessageKind::graph);
  set_content(all, MessageKind::training, 3, MessageKind::entry);
  set_content(all, MessageKind::training, 4, MessageKind::entry);
  set_content(all, MessageKind::annotation, 2, MessageKind::entry);
  return all;
}

}  // namespace

const wire::Layout& layout() {
  static const wire::Layout all = make_layout();
  return all;
}

const char* message_name(MessageKind kind) {
  static constexpr const char* names[] = {"nothing",
                                          "model",
                                          "graph",
                                          "node",
                                          "attribute",
                                          "tensor",
                                          "tensor segment",
                                          "sparse tensor",
                                          "value info",
                                          "type",
                                          "tensor type",
                                          "element type",
                                          "map type",
                                          "shape",
                                          "dimension",
                                          "opset import",
                                          "metadata entry",
                                          "function",
                                          "training info",
                                          "quantization annotation",
                                          "opaque type",
                                          "device configuration",
                                          "node's device configuration",
                                          "sharding",
                                          "device group",
                                          "sharded dimension",
                                          "sharding of a dimension"};
  static_assert(sizeof names / sizeof *names == static_cast<std::size_t>(MessageKind::count));
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace thence::onnx
