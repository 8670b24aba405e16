#include "serve/picture.h"

#include <algorithm>

#include "base/format.h"
#include "serve/limits.h"

namespace thence::serve {
namespace {

using base::JsonWriter;
using onnx::ValueId;

constexpr std::uint32_t no_item = 0xffffffff;

// The distinct values of a graph's inputs or outputs that a producer of this kind gives. A default value
// makes an input an initializer.
std::vector<ValueId> first_values(const onnx::Model& model, const std::vector<ValueId>& values,
                                  onnx::Producer::Kind kind) {
  std::vector<ValueId> listed;
  for (const ValueId value : values)
    if (listed.size() < max_graph_values && value != onnx::none && model.producer(value).kind == kind &&
        std::find(listed.begin(), listed.end(), value) == listed.end())
      listed.push_back(value);
  return listed;
}

// Inputs or outputs of the box: the number of tensors of each item.
template <class Links>
void write_ends(Links links, JsonWriter& json) {
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  json.begin_array();
  for (std::size_t first = 0, last = 0; first < links.size(); first = last) {
    while (last < links.size() && links[last].from == links[first].from) ++last;
    json.begin_array();
    json.value(links[first].from);
    json.value(last - first);
    json.end_array();
  }
  json.end_array();
}

}  // namespace

Pictures::Pictures(const semantics::Map& map, const Outline& outline, const Boxes& boxes,
                   const Summaries& summaries, const shapes::InferredShapes& inferred)
    : map_(map),
      outline_(outline),
      boxes_(boxes),
      summaries_(summaries),
      inferred_(inferred),
      uses_(map.model()),
      is_graph_output_(map.model().value_count()),
      item_at_(map.model().node_count(), no_item),
      item_of_value_(map.model().value_count(), no_item) {
  for (const ValueId value : map.model().graphs().front().outputs)
    if (value != onnx::none) is_graph_output_[value] = true;
}

void Pictures::collect_inputs(onnx::NodeId node, std::uint32_t item, Links& links) const {
  for (const ValueId value : map_.model().node(node).inputs()) {
    if (value == onnx::none) continue;
    const onnx::Producer producer = map_.model().producer(value);
    if (producer.kind == onnx::Producer::Kind::node) {
      const std::uint32_t source = item_at_[outline_.position(producer.index)];
      if (source == no_item)
        links.inputs.push_back({item, item, value});
      else if (source != item)
        links.inside.push_back({source, item, value});
    } else if (producer.kind == onnx::Producer::Kind::graph_input) {
      if (item_of_value_[value] != no_item)
        links.inside.push_back({item_of_value_[value], item, value});
      else
        links.inputs.push_back({item, item, value});
    }
  }
}

void Pictures::collect_outputs(onnx::NodeId node, std::uint32_t item, Links& links) const {
  for (const ValueId value : map_.model().node(node).outputs()) {
    if (value == onnx::none) continue;
    const auto uses = uses_.of(value);
    const bool leaves = std::any_of(uses.begin(), uses.end(), [&](onnx::NodeId use) {
      return item_at_[outline_.position(use)] == no_item;
    });
    if (is_graph_output_[value] && item_of_value_[value] != no_item)
      links.inside.push_back({item, item_of_value_[value], value});
    else if (leaves || is_graph_output_[value])
      links.outputs.push_back({item, item, value});
  }
}

Pictures::Links Pictures::collect(const std::vector<Item>& items, const std::vector<ValueId>& graph_inputs,
                                  const std::vector<ValueId>& graph_outputs) const {
  std::uint32_t number = 0;
  for (const Item& item : items) {
    for (const Range range : item.ranges)
      std::fill(item_at_.begin() + range.first, item_at_.begin() + range.last, number);
    ++number;
  }
  for (const ValueId value : graph_inputs) item_of_value_[value] = number++;
  for (const ValueId value : graph_outputs) item_of_value_[value] = number++;
  Links links;
  number = 0;
  for (const Item& item : items) {
    for (const Range range : item.ranges)
      for (std::uint32_t at = range.first; at < range.last; ++at) {
        collect_inputs(outline_.node_at(at), number, links);
        collect_outputs(outline_.node_at(at), number, links);
      }
    ++number;
  }
  for (const Item& item : items)
    for (const Range range : item.ranges)
      std::fill(item_at_.begin() + range.first, item_at_.begin() + range.last, no_item);
  for (const ValueId value : graph_inputs) item_of_value_[value] = no_item;
  for (const ValueId value : graph_outputs) item_of_value_[value] = no_item;
  return links;
}

void Pictures::write_value(ValueId value, bool is_input, JsonWriter& json) const {
  json.begin_object();
  json.member<"kind">(is_input ? "input" : "output");
  json.member<"id">(base::format("{}{}", is_input ? 'i' : 'o', value));
  json.member<"name">(cut_text(map_.model().value_name(value), max_label_bytes));
  json.member<"shape">(shapes::text_of(inferred_.values.shape(value), inferred_.sizes));
  json.end_object();
}

void Pictures::write_edges(std::vector<Link> links, JsonWriter& json) const {
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  json.begin_array<"edges">();
  for (std::size_t first = 0, last = 0; first < links.size(); first = last) {
    while (last < links.size() && links[last].from == links[first].from && links[last].to == links[first].to)
      ++last;
    json.begin_array();
    json.value(links[first].from);
    json.value(links[first].to);
    json.value(last - first);
    const shapes::Shape shape = inferred_.values.shape(links[first].value);
    json.value(last - first == 1 && shape.known()
                   ? cut_text(shapes::text_of(shape, inferred_.sizes), max_label_bytes)
                   : std::string());
    json.end_array();
  }
  json.end_array();
}

void Pictures::write(const Box& box, JsonWriter& json) const {
  const std::vector<Item> items = boxes_.items(box);
  std::vector<ValueId> graph_inputs, graph_outputs;
  if (box.module == modules::root && !box.chunk) {
    const onnx::Graph& graph = map_.model().graphs().front();
    graph_inputs = first_values(map_.model(), graph.inputs, onnx::Producer::Kind::graph_input);
    graph_outputs = first_values(map_.model(), graph.outputs, onnx::Producer::Kind::node);
  }
  const Links links = collect(items, graph_inputs, graph_outputs);
  json.begin_object();
  json.member<"id">(name_of(box));
  json.begin_array<"items">();
  for (const Item& item : items) summaries_.write(item, box.module, json);
  for (const ValueId value : graph_inputs) write_value(value, true, json);
  for (const ValueId value : graph_outputs) write_value(value, false, json);
  json.end_array();
  write_edges(links.inside, json);
  json.key<"inputs">();
  write_ends(links.inputs, json);
  json.key<"outputs">();
  write_ends(links.outputs, json);
  json.end_object();
}

}  // namespace thence::serve
