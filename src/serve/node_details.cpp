#include "serve/node_details.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/written_text.h"
#include "output/formats.h"
#include "output/json_rows.h"
#include "resolve/decision_rule.h"
#include "serve/limits.h"
#include "serve/summaries.h"

namespace thence::serve {
namespace {

using base::JsonWriter;
using semantics::Map;

template <class Items>
std::string list_text(const Items& items) {
  std::string text = "[";
  std::size_t count = 0;
  for (const auto& item : items) {
    if (count == max_list_elements) return text + base::format(", ... {} in all]", items.size());
    if (count++ > 0) text += ", ";
    if constexpr (std::is_same_v<std::decay_t<decltype(item)>, std::string_view>)
      text += cut_text(item, max_label_bytes);
    else
      base::append_format(text, "{}", item);
  }
  return text + "]";
}

std::string tensor_text(const onnx::TensorView& tensor) {
  return base::format("{} {}", onnx::data_type_name(tensor.data_type), list_text(tensor.dims));
}

// The kinds of attributes, with the numbers of AttributeProto.AttributeType.
enum AttributeType : std::int32_t {
  real = 1,
  integer = 2,
  text = 3,
  tensor = 4,
  graph = 5,
  reals = 6,
  integers = 7,
  texts = 8
};

std::string attribute_text(const onnx::AttributeView& attribute) {
  if (!attribute.ref_attr_name.empty())
    return base::format("attribute {} of the function", cut_text(attribute.ref_attr_name, max_label_bytes));
  switch (attribute.type) {
    case real: return base::format("{}", attribute.f);
    case integer: return base::format("{}", attribute.i);
    case text: return cut_text(attribute.s, max_detail_bytes);
    case tensor: return tensor_text(onnx::read_tensor(attribute.tensor));
    case graph: return "a graph";
    case reals: return list_text(attribute.floats);
    case integers: return list_text(attribute.ints);
    case texts: return list_text(attribute.strings);
    default: return base::format("type {}", attribute.type);
  }
}

void write_attributes(const onnx::Node& node, JsonWriter& json) {
  json.begin_array<"attributes">();
  std::size_t count = 0;
  node.for_each_attribute([&](const onnx::AttributeView& attribute) {
    if (count++ >= max_detail_rows) return;
    json.begin_object();
    json.member<"name">(cut_text(attribute.name, max_label_bytes));
    json.member<"value">(attribute_text(attribute));
    json.end_object();
  });
  json.end_array();
}

void write_value(const Map& map, const shapes::InferredShapes& inferred, onnx::ValueId value,
                 JsonWriter& json) {
  json.member<"name">(cut_text(map.model().value_name(value), max_label_bytes));
  json.member<"shape">(
      cut_text(shapes::text_of(inferred.values.shape(value), inferred.sizes), max_label_bytes));
}

void write_producer(const Map& map, onnx::ValueId value, JsonWriter& json) {
  const onnx::Producer producer = map.model().producer(value);
  if (producer.kind == onnx::Producer::Kind::node) json.member<"node">(base::format("n{}", producer.index));
  if (producer.kind == onnx::Producer::Kind::graph_input) json.member<"from">("input");
  if (producer.kind != onnx::Producer::Kind::initializer) return;
  json.member<"from">("initializer");
  json.member<"tensor">(tensor_text(map.model().tensor(map.model().initializers()[producer.index])));
}

void write_inputs(const Map& map, const shapes::InferredShapes& inferred, const onnx::Node& node,
                  JsonWriter& json) {
  json.begin_array<"inputs">();
  const auto inputs = node.inputs();
  for (const onnx::ValueId value : inputs.first(std::min(inputs.size(), max_detail_rows))) {
    json.begin_object();
    if (value != onnx::none) {
      write_value(map, inferred, value, json);
      write_producer(map, value, json);
    }
    json.end_object();
  }
  json.end_array();
}

void write_outputs(const Map& map, const shapes::InferredShapes& inferred, const dataflow::Uses& uses,
                   const onnx::Node& node, JsonWriter& json) {
  json.begin_array<"outputs">();
  const auto outputs = node.outputs();
  for (const onnx::ValueId value : outputs.first(std::min(outputs.size(), max_detail_rows))) {
    json.begin_object();
    if (value != onnx::none) {
      write_value(map, inferred, value, json);
      const auto consumers = uses.of(value);
      json.begin_array<"nodes">();
      for (const onnx::NodeId consumer : consumers.first(std::min(consumers.size(), max_detail_rows)))
        json.value(base::format("n{}", consumer));
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
}

// Without the newline at the end.
template <class Write>
std::string line_of(Write write) {
  std::string text = base::written_text(write);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

void write_node_details(const Map& map, const shapes::InferredShapes& inferred, const dataflow::Uses& uses,
                        onnx::NodeId id, JsonWriter& json) {
  const std::array<onnx::NodeId, 1> one{id};
  const output::Nodes nodes{std::span<const onnx::NodeId>(one)};
  json.verbatim<"row">(line_of([&](base::Writer& out) {
    output::write_json_rows(map, nodes, 1, output::RowLayout::lines, output::LayerSteps::pairs, out);
  }));
  json.verbatim<"explanation">(
      line_of([&](base::Writer& out) { output::write_explanation_json(map, inferred, uses, id, out); }));
  json.member<"rule_text">(resolve::text_of(map.own_answer(id).rule));
  const onnx::Node node = map.model().node(id);
  write_attributes(node, json);
  write_inputs(map, inferred, node, json);
  write_outputs(map, inferred, uses, node, json);
}

}  // namespace thence::serve
