#include "match/items.h"

#include <algorithm>
#include <unordered_map>

#include "dataflow/bodies.h"
#include "dataflow/operator_traits.h"
#include "onnx/content.h"

namespace thence::match {
namespace {

using dataflow::Trait;

constexpr std::size_t most_equal = 8;  // parameters of equal content that still say something
constexpr int most_steps = 6;

// A constant, or a copy of one: no step made it, and whoever reads it owns it.
bool stands_for_itself(const onnx::Model& model, const onnx::Node& node) {
  if (node.op_type() == "Constant") return true;
  return node.op_type() == "Identity" && node.inputs().size() == 1 && node.inputs()[0] != onnx::none &&
         model.producer(node.inputs()[0]).kind == onnx::Producer::Kind::initializer;
}

// The nodes of the main graph, each followed by those of the bodies that it holds.
std::vector<onnx::NodeId> depth_first(const onnx::Model& model) {
  const dataflow::Bodies bodies(model);
  const auto& graphs = model.graphs();
  struct Range {
    onnx::NodeId next, past;
  };
  const auto range_of = [](const onnx::Graph& graph) {
    return Range{graph.first_node, graph.first_node + graph.node_count};
  };
  std::vector<Range> open;  // a stack of our own, because bodies may be nested deeply
  if (!graphs.empty()) open.push_back(range_of(graphs[0]));
  std::vector<onnx::NodeId> order;
  while (!open.empty()) {
    if (open.back().next == open.back().past) {
      open.pop_back();
      continue;
    }
    const onnx::NodeId id = open.back().next++;
    order.push_back(id);
    const auto held = bodies.held_by(id);
    for (std::size_t i = held.size(); i-- > 0;) open.push_back(range_of(graphs[held[i]]));
  }
  return order;
}

std::unordered_map<std::string_view, std::uint64_t> known_shapes(const onnx::Model& model) {
  std::unordered_map<std::string_view, std::uint64_t> shapes;
  const auto add = [&](std::string_view message) {
    const onnx::ValueInfoView info = onnx::read_value_info(message);
    if (!info.has_shape) return;
    std::vector<std::int64_t> shape;
    for (const onnx::Dimension& dim : info.dims) shape.push_back(dim.value.value_or(-1));
    shapes.emplace(info.name, hash_of_shape(shape));
  };
  for (const onnx::Graph& graph : model.graphs()) {
    for (const std::string_view info : model.value_infos(graph)) add(info);
    for (const std::string_view info : graph.output_infos) add(info);
  }
  return shapes;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> parameters_by_content(const onnx::Model& model,
                                                              const capture::Capture& capture,
                                                              const capture::Recording& recording) {
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_content;
  for (const capture::CapturedParameter& parameter : capture.parameters)
    if (const auto number = recording.find_parameter(parameter.path))
      if (const auto content = parameter.content()) by_content[*content].push_back(*number);
  std::vector<std::vector<std::uint32_t>> found(model.initializers().size());
  if (by_content.empty()) return found;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto content = onnx::content_of(model, model.initializers()[i]);
    const auto equal = content ? by_content.find(content->unordered) : by_content.end();
    if (equal != by_content.end() && equal->second.size() <= most_equal) found[i] = equal->second;
  }
  return found;
}

std::vector<NodeItem> items_of(const onnx::Model& model,
                               const std::vector<std::vector<std::uint32_t>>& parameters,
                               const Takes& takes) {
  const auto shapes = known_shapes(model);
  std::vector<std::uint32_t> item_of(model.node_count(), onnx::none);
  std::vector<NodeItem> items;
  const auto read = [&](onnx::ValueId value, NodeItem& item) {
    for (int step = 0; step <= most_steps && value != onnx::none; ++step) {
      const onnx::Producer producer = model.producer(value);
      if (producer.kind == onnx::Producer::Kind::initializer) {
        const auto& same = parameters[producer.index];
        item.parameters.insert(item.parameters.end(), same.begin(), same.end());
      }
      if (producer.kind != onnx::Producer::Kind::node) return;
      if (step == 0 && item_of[producer.index] != onnx::none) item.made_of.push_back(item_of[producer.index]);
      const onnx::Node node = model.node(producer.index);
      if (!dataflow::has_trait(node, Trait::stored_form) || node.inputs().empty()) return;
      value = node.inputs()[0];
    }
  };
  for (const onnx::NodeId id : depth_first(model)) {
    const onnx::Node node = model.node(id);
    if (stands_for_itself(model, node) || !takes(node.op_type())) continue;
    NodeItem item;
    item.node = id;
    constexpr std::size_t most_inputs = 256;
    for (const onnx::ValueId value : node.inputs().first(std::min(node.inputs().size(), most_inputs)))
      read(value, item);
    if (!node.outputs().empty() && node.outputs()[0] != onnx::none)
      if (const auto shape = shapes.find(model.value_name(node.outputs()[0])); shape != shapes.end())
        item.shape = shape->second;
    item.casts = node.op_type() == "Cast" || node.op_type() == "Identity";
    const auto carries_data = [&](onnx::ValueId value) {
      if (value == onnx::none) return false;
      const onnx::Producer producer = model.producer(value);
      if (producer.kind == onnx::Producer::Kind::initializer) return false;
      if (producer.kind != onnx::Producer::Kind::node) return true;
      const std::uint32_t maker = item_of[producer.index];
      if (maker == onnx::none) return !stands_for_itself(model, model.node(producer.index));
      return !items[maker].auxiliary;
    };
    item.auxiliary =
        dataflow::has_trait(node, Trait::reads_shape) ||
        (item.parameters.empty() && std::none_of(node.inputs().begin(), node.inputs().end(), carries_data));
    item.sized = dataflow::has_trait(node, Trait::reads_shape) ||
                 (item.auxiliary && std::any_of(item.made_of.begin(), item.made_of.end(),
                                                [&](std::uint32_t maker) { return items[maker].sized; }));
    item_of[id] = static_cast<std::uint32_t>(items.size());
    items.push_back(std::move(item));
  }
  return items;
}

Takes known_or_alike(const capture::Recording& recording) {
  return [&recording, seen = std::unordered_map<std::string, bool>()](std::string_view op) mutable {
    const auto [entry, fresh] = seen.emplace(op, false);
    if (fresh) {
      const auto& all = Correspondence::shipped();
      entry->second = std::any_of(all.begin(), all.end(),
                                  [&](const Correspondence& each) { return each.knows_operator(op); }) ||
                      std::any_of(recording.words.begin(), recording.words.end(),
                                  [&](const std::string& word) { return sound_alike(word, op); });
    }
    return entry->second;
  };
}

}  // namespace thence::match
