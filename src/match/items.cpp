#include "match/items.h"

#include <algorithm>
#include <unordered_map>

#include "dataflow/bodies.h"
#include "dataflow/operator_traits.h"
#include "match/thresholds.h"
#include "onnx/content_hash.h"

namespace thence::match {
namespace {

using dataflow::Trait;
using Kind = onnx::Producer::Kind;

// A constant or a copy of one: no step emitted it, and it belongs to its consumers.
bool is_constant(const onnx::Model& model, const onnx::Node& node) {
  if (node.op_type() == "Constant") return true;
  return node.op_type() == "Identity" && node.inputs().size() == 1 && node.inputs()[0] != onnx::none &&
         model.producer(node.inputs()[0]).kind == Kind::initializer;
}

// By graph: whether most of the parameters that it reads are in no step of the recording.
std::vector<bool> find_unrecorded_bodies(const onnx::Model& model,
                                         const ParametersByInitializer& parameters) {
  std::vector<std::int64_t> balance(model.graphs().size());  // parameters read, minus those in the recording
  if (parameters.is_unread.empty()) return std::vector<bool>(balance.size());
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    for (const onnx::ValueId value : model.node(id).inputs()) {
      const onnx::Producer producer = value == onnx::none ? onnx::Producer() : model.producer(value);
      if (producer.kind != Kind::initializer) continue;
      balance[model.node(id).graph()] += parameters.is_unread[producer.index];
      balance[model.node(id).graph()] -= !parameters.recorded[producer.index].empty();
    }
  std::vector<bool> is_unrecorded(balance.size());
  for (std::size_t graph = 0; graph < balance.size(); ++graph)
    is_unrecorded[graph] = model.graphs()[graph].kind == onnx::Graph::Kind::body && balance[graph] > 0;
  return is_unrecorded;
}

// The nodes of the main graph, each followed by those of the bodies that it holds.
std::vector<onnx::NodeId> nodes_depth_first(const onnx::Model& model, const std::vector<bool>& is_skipped) {
  const dataflow::Bodies bodies(model);
  const auto& graphs = model.graphs();
  struct Range {
    onnx::NodeId next, past;
  };
  const auto range_of = [](const onnx::Graph& graph) {
    return Range{graph.first_node, graph.first_node + graph.node_count};
  };
  std::vector<Range> pending;  // a stack of our own, because bodies may be nested deeply
  if (!graphs.empty()) pending.push_back(range_of(graphs[0]));
  std::vector<onnx::NodeId> order;
  while (!pending.empty()) {
    if (pending.back().next == pending.back().past) {
      pending.pop_back();
      continue;
    }
    const onnx::NodeId id = pending.back().next++;
    order.push_back(id);
    const auto held = bodies.held_by(id);
    for (std::size_t i = held.size(); i-- > 0;)
      if (!is_skipped[held[i]]) pending.push_back(range_of(graphs[held[i]]));
  }
  return order;
}

// Hashes of the shapes that the file states, by the name of the value.
std::unordered_map<std::string_view, std::uint64_t> stated_shapes(const onnx::Model& model) {
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

// By graph: whether it is inside the body of a loop. A graph comes after the one that encloses it.
std::vector<bool> find_loops(const onnx::Model& model) {
  std::vector<bool> found(model.graphs().size());
  for (std::size_t id = 0; id < found.size(); ++id) {
    const onnx::Graph& graph = model.graphs()[id];
    if (graph.kind != onnx::Graph::Kind::body) continue;
    const std::string_view op = model.node(graph.owner).op_type();
    found[id] = found[graph.parent] || op == "Loop" || op == "Scan";
  }
  return found;
}

class ItemBuilder {
 public:
  ItemBuilder(const onnx::Model& model, const std::vector<std::vector<std::uint32_t>>& parameters)
      : model_(model),
        parameters_(parameters),
        shapes_(stated_shapes(model)),
        is_in_loop_(find_loops(model)),
        item_of_(model.node_count(), onnx::none) {}

  void add(const onnx::Node& node) {
    NodeItem item;
    item.node = node.id();
    for (const onnx::ValueId value : node.inputs().first(std::min(node.inputs().size(), max_inputs)))
      add_input(value, item);
    item.shape = shape_of(node);
    item.is_cast = node.op_type() == "Cast" || node.op_type() == "Identity";
    item.is_in_loop = is_in_loop_[node.graph()];
    const bool reads_shape = dataflow::has_trait(node, Trait::reads_shape);
    item.is_shape_or_constant = reads_shape || (item.parameters.empty() && !reads_data(node));
    item.is_shape_computation = reads_shape || (item.is_shape_or_constant && reads_shape_computation(item));
    item_of_[node.id()] = static_cast<std::uint32_t>(items_.size());
    items_.push_back(std::move(item));
  }

  std::vector<NodeItem> take() { return std::move(items_); }

 private:
  // The item that writes the value, and the parameters behind it, through other forms of them.
  void add_input(onnx::ValueId value, NodeItem& item) const {
    for (int step = 0; step <= max_parameter_chain && value != onnx::none; ++step) {
      const onnx::Producer producer = model_.producer(value);
      if (producer.kind == Kind::initializer) {
        const auto& same = parameters_[producer.index];
        item.parameters.insert(item.parameters.end(), same.begin(), same.end());
      }
      if (producer.kind != Kind::node) return;
      if (step == 0 && item_of_[producer.index] != onnx::none)
        item.producers.push_back(item_of_[producer.index]);
      const onnx::Node node = model_.node(producer.index);
      if (!dataflow::has_trait(node, Trait::exporter_prepares_weight) || node.inputs().empty()) return;
      value = node.inputs()[0];
    }
  }

  std::uint64_t shape_of(const onnx::Node& node) const {
    if (node.outputs().empty() || node.outputs()[0] == onnx::none) return 0;
    const auto shape = shapes_.find(model_.value_name(node.outputs()[0]));
    return shape == shapes_.end() ? 0 : shape->second;
  }

  bool reads_data(const onnx::Node& node) const {
    return std::any_of(node.inputs().begin(), node.inputs().end(),
                       [&](onnx::ValueId value) { return value != onnx::none && is_data(value); });
  }

  bool is_data(onnx::ValueId value) const {
    const onnx::Producer producer = model_.producer(value);
    if (producer.kind == Kind::initializer) return false;
    if (producer.kind != Kind::node) return true;
    const std::uint32_t item = item_of_[producer.index];
    if (item == onnx::none) return !is_constant(model_, model_.node(producer.index));
    return !items_[item].is_shape_or_constant;
  }

  bool reads_shape_computation(const NodeItem& item) const {
    return std::any_of(item.producers.begin(), item.producers.end(),
                       [&](std::uint32_t producer) { return items_[producer].is_shape_computation; });
  }

  const onnx::Model& model_;
  const std::vector<std::vector<std::uint32_t>>& parameters_;  // by initializer
  std::unordered_map<std::string_view, std::uint64_t> shapes_;
  std::vector<bool> is_in_loop_;        // by graph
  std::vector<std::uint32_t> item_of_;  // by node
  std::vector<NodeItem> items_;
};

}  // namespace

ParametersByInitializer parameters_by_content(const onnx::Model& model, const capture::Capture& capture,
                                              const capture::Recording& recording) {
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_content;  // no number: not recorded
  for (const capture::CapturedParameter& parameter : capture.parameters) {
    const auto content = parameter.content_hash();
    if (!content) continue;
    std::vector<std::uint32_t>& equal = by_content[*content];
    if (const auto number = recording.find_parameter(parameter.path)) equal.push_back(*number);
  }
  const std::size_t count = model.initializers().size();
  ParametersByInitializer found{std::vector<std::vector<std::uint32_t>>(count), std::vector<bool>(count)};
  if (by_content.empty()) return found;
  for (std::size_t i = 0; i < count; ++i) {
    const auto content = onnx::hash_content(model, model.initializers()[i]);
    const auto equal = content ? by_content.find(content->unordered) : by_content.end();
    if (equal == by_content.end()) continue;
    found.is_unread[i] = equal->second.empty();
    if (equal->second.size() <= max_equal_parameters) found.recorded[i] = equal->second;
  }
  return found;
}

std::vector<NodeItem> items_of(const onnx::Model& model, const ParametersByInitializer& parameters,
                               const OperatorFilter& is_aligned) {
  ItemBuilder builder(model, parameters.recorded);
  for (const onnx::NodeId id : nodes_depth_first(model, find_unrecorded_bodies(model, parameters))) {
    const onnx::Node node = model.node(id);
    if (!is_constant(model, node) && is_aligned(node.op_type())) builder.add(node);
  }
  return builder.take();
}

OperatorFilter emitted_operators(const capture::Recording& recording) {
  return [&recording, seen = std::unordered_map<std::string, bool>()](std::string_view op) mutable {
    const auto [entry, is_new] = seen.emplace(op, false);
    if (is_new) {
      const auto& tables = EmissionTable::shipped();
      entry->second = std::any_of(tables.begin(), tables.end(),
                                  [&](const EmissionTable& table) { return table.knows_operator(op); }) ||
                      std::any_of(recording.op_names.begin(), recording.op_names.end(),
                                  [&](const std::string& word) { return same_op_name(word, op); });
    }
    return entry->second;
  };
}

}  // namespace thence::match
