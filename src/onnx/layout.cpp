#include "onnx/layout.h"

namespace thence::onnx {
namespace {

template <class Field, class Content>
void hold(wire::Layout& layout, Kind outer, Field field, Content content) {
  layout.messages[static_cast<std::size_t>(outer)][static_cast<std::size_t>(field)] =
      static_cast<std::uint8_t>(content);
}

wire::Layout make() {
  // #lizard forgives: a table of the fields of ONNX's messages.
  wire::Layout all;
  all.messages.resize(static_cast<std::size_t>(Kind::count));
  hold(all, Kind::model, ModelField::graph, Kind::graph);
  hold(all, Kind::model, ModelField::opset_import, Kind::opset);
  hold(all, Kind::model, ModelField::metadata_props, Kind::entry);
  hold(all, Kind::model, ModelField::training_info, Kind::training);
  hold(all, Kind::model, ModelField::functions, Kind::function);
  hold(all, Kind::model, ModelField::configuration, Kind::configuration);
  hold(all, Kind::graph, GraphField::node, Kind::node);
  hold(all, Kind::graph, GraphField::initializer, Kind::tensor);
  hold(all, Kind::graph, GraphField::input, Kind::value_info);
  hold(all, Kind::graph, GraphField::output, Kind::value_info);
  hold(all, Kind::graph, GraphField::value_info, Kind::value_info);
  hold(all, Kind::graph, GraphField::quantization_annotation, Kind::annotation);
  hold(all, Kind::graph, GraphField::sparse_initializer, Kind::sparse_tensor);
  hold(all, Kind::graph, GraphField::metadata_props, Kind::entry);
  hold(all, Kind::node, NodeField::attribute, Kind::attribute);
  hold(all, Kind::node, NodeField::metadata_props, Kind::entry);
  hold(all, Kind::node, NodeField::device_configurations, Kind::node_configuration);
  hold(all, Kind::node_configuration, 2, Kind::sharding);
  hold(all, Kind::sharding, 2, wire::packed_varints);
  hold(all, Kind::sharding, 3, Kind::device_group);
  hold(all, Kind::sharding, 4, Kind::sharded_dim);
  hold(all, Kind::device_group, 2, wire::packed_varints);
  hold(all, Kind::sharded_dim, 2, Kind::simple_sharded_dim);
  hold(all, Kind::attribute, AttributeField::t, Kind::tensor);
  hold(all, Kind::attribute, AttributeField::g, Kind::graph);
  hold(all, Kind::attribute, AttributeField::tensors, Kind::tensor);
  hold(all, Kind::attribute, AttributeField::graphs, Kind::graph);
  hold(all, Kind::attribute, AttributeField::tp, Kind::type);
  hold(all, Kind::attribute, AttributeField::type_protos, Kind::type);
  hold(all, Kind::attribute, AttributeField::sparse_tensor, Kind::sparse_tensor);
  hold(all, Kind::attribute, AttributeField::sparse_tensors, Kind::sparse_tensor);
  hold(all, Kind::attribute, AttributeField::ints, wire::packed_varints);
  hold(all, Kind::attribute, AttributeField::floats, wire::packed_fixed32);
  hold(all, Kind::tensor, TensorField::dims, wire::packed_varints);
  hold(all, Kind::tensor, TensorField::segment, Kind::segment);
  hold(all, Kind::tensor, TensorField::external_data, Kind::entry);
  hold(all, Kind::tensor, TensorField::metadata_props, Kind::entry);
  for (const TensorField field :
       {TensorField::float_data, TensorField::int32_data, TensorField::string_data, TensorField::int64_data,
        TensorField::raw_data, TensorField::double_data, TensorField::uint64_data})
    hold(all, Kind::tensor, field, wire::data);
  hold(all, Kind::sparse_tensor, SparseTensorField::values, Kind::tensor);
  hold(all, Kind::sparse_tensor, SparseTensorField::indices, Kind::tensor);
  hold(all, Kind::sparse_tensor, SparseTensorField::dims, wire::packed_varints);
  hold(all, Kind::value_info, ValueInfoField::type, Kind::type);
  hold(all, Kind::value_info, ValueInfoField::metadata_props, Kind::entry);
  hold(all, Kind::type, TypeField::tensor, Kind::tensor_type);
  hold(all, Kind::type, TypeField::sequence, Kind::element_type);
  hold(all, Kind::type, TypeField::map, Kind::map_type);
  hold(all, Kind::type, TypeField::opaque, Kind::opaque_type);
  hold(all, Kind::type, TypeField::sparse_tensor, Kind::tensor_type);
  hold(all, Kind::type, TypeField::optional, Kind::element_type);
  hold(all, Kind::tensor_type, TensorTypeField::shape, Kind::shape);
  hold(all, Kind::element_type, 1, Kind::type);
  hold(all, Kind::map_type, 2, Kind::type);
  hold(all, Kind::shape, ShapeField::dim, Kind::dimension);
  hold(all, Kind::function, FunctionField::node, Kind::node);
  hold(all, Kind::function, FunctionField::opset_import, Kind::opset);
  hold(all, Kind::function, FunctionField::attribute_proto, Kind::attribute);
  hold(all, Kind::function, FunctionField::value_info, Kind::value_info);
  hold(all, Kind::function, FunctionField::metadata_props, Kind::entry);
  hold(all, Kind::training, 1, Kind::graph);
  hold(all, Kind::training, 2, Kind::graph);
  hold(all, Kind::training, 3, Kind::entry);
  hold(all, Kind::training, 4, Kind::entry);
  hold(all, Kind::annotation, 2, Kind::entry);
  return all;
}

}  // namespace

const wire::Layout& layout() {
  static const wire::Layout all = make();
  return all;
}

const char* name_of(Kind kind) {
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
  static_assert(sizeof names / sizeof *names == static_cast<std::size_t>(Kind::count));
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace thence::onnx
