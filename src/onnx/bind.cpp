#include "onnx/bind.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace thence::onnx {
namespace {

constexpr std::uint32_t pack(Producer::Kind kind, std::uint32_t index) {
  return static_cast<std::uint32_t>(kind) << 30 | (index & 0x3fffffff);
}

}  // namespace

Binder::Binder(Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {
  binding_.assign(model_.names_.size(), none);
  std::size_t value_count = model_.initializers_.size();
  for (const Graph& graph : model_.graphs_) value_count += graph.inputs.size();
  for (const std::uint32_t output : model_.outputs_) value_count += output != none;
  model_.values_.reserve(value_count);
}

void Binder::bind() {
  for (GraphId id = 0; id < model_.graphs_.size(); ++id) {
    while (!scopes_.empty() && scopes_.back().graph != model_.graphs_[id].parent) leave();
    enter(id);
    // Bind inputs after outputs, because nodes may be out of topological order.
    bind_inputs(model_.graphs_[id]);
    bind_graph_outputs(id);
  }
}

void Binder::enter(GraphId id) {
  Graph& graph = model_.graphs_[id];
  scopes_.push_back({id, static_cast<ValueId>(model_.values_.size()), shadowed_.size()});
  for (ValueId& input : graph.inputs)
    input = is_bound_in_scope(input) ? binding_[input] : define(input, Producer::Kind::graph_input, 0);
  bind_initializers(graph);
  bind_outputs(graph);
}

void Binder::leave() {
  const Scope scope = scopes_.back();
  scopes_.pop_back();
  while (shadowed_.size() > scope.first_shadowed) {
    binding_[shadowed_.back().name] = shadowed_.back().value;
    shadowed_.pop_back();
  }
  if (scope.graph == 0) std::fill(binding_.begin(), binding_.end(), none);
}

void Binder::bind_initializers(const Graph& graph) {
  for (std::uint32_t i = graph.first_initializer; i < graph.first_initializer + graph.initializer_count;
       ++i) {
    ValueId& value = model_.initializers_[i].value;
    if (value == none) continue;
    if (!is_bound_in_scope(value)) {
      value = define(value, Producer::Kind::initializer, i);
      continue;
    }
    // Before IR version 4, every initializer was also a graph input, and gave its default. In all other cases
    // the first producer counts.
    value = binding_[value];
    std::uint32_t& producer = model_.values_[value].producer;
    if (producer == pack(Producer::Kind::graph_input, 0)) producer = pack(Producer::Kind::initializer, i);
  }
}

void Binder::bind_outputs(const Graph& graph) {
  for (NodeId node = graph.first_node; node < graph.first_node + graph.node_count; ++node) {
    const std::uint32_t producer = pack(Producer::Kind::node, node);
    const std::uint32_t end = model_.nodes_[node + 1].first_output;
    for (std::uint32_t slot = model_.nodes_[node].first_output; slot < end; ++slot) {
      std::uint32_t& output = model_.outputs_[slot];
      if (output == none) continue;
      if (!is_bound_in_scope(output)) {
        output = define(output, Producer::Kind::node, node);
        continue;
      }
      warn(
          "M001", [&] { return node_location(node); },
          "writes a value that something else writes, too; the first counts", output);
      if (model_.values_[binding_[output]].producer == producer) {
        output = binding_[output];
      } else {
        // A duplicate output name gets a new value without consumers. The row keeps its outputs, and
        // consumers keep the first value.
        model_.values_.push_back({output, producer});
        output = static_cast<ValueId>(model_.values_.size() - 1);
      }
    }
  }
}

void Binder::bind_inputs(const Graph& graph) {
  for (NodeId node = graph.first_node; node < graph.first_node + graph.node_count; ++node) {
    const std::uint32_t end = model_.nodes_[node + 1].first_input;
    for (std::uint32_t slot = model_.nodes_[node].first_input; slot < end; ++slot) {
      std::uint32_t& input = model_.inputs_[slot];
      if (input == none) continue;
      if (binding_[input] != none) {
        input = binding_[input];
      } else {
        warn("M002", [&] { return node_location(node); }, "reads a value that nothing writes", input);
        input = define(input, Producer::Kind::undefined, 0);
      }
    }
  }
}

// Graph outputs name values of this graph or, in a body, of an enclosing graph.
void Binder::bind_graph_outputs(GraphId id) {
  for (ValueId& output : model_.graphs_[id].outputs) {
    if (binding_[output] != none) {
      output = binding_[output];
    } else {
      warn(
          "M002", [&] { return id == 0 ? "main graph" : "graph " + base::printable(model_.graph_label(id)); },
          "gives out a value that nothing writes", output);
      output = define(output, Producer::Kind::undefined, 0);
    }
  }
}

ValueId Binder::define(std::uint32_t name, Producer::Kind kind, std::uint32_t index) {
  const auto value = static_cast<ValueId>(model_.values_.size());
  model_.values_.push_back({name, pack(kind, index)});
  // The scope of the main graph is cleared as a whole, so only the others record what they shadow.
  if (scopes_.size() > 1 || scopes_.front().graph != 0) shadowed_.push_back({name, binding_[name]});
  binding_[name] = value;
  return value;
}

bool Binder::is_bound_in_scope(std::uint32_t name) const {
  return binding_[name] != none && binding_[name] >= scopes_.back().first_value;
}

std::string Binder::node_location(NodeId id) const {
  const Node node = model_.node(id);
  const std::string label = model_.graph_label(node.graph());
  return base::format("node {}{} '{}'", label.empty() ? "" : base::printable(label) + "#", node.index(),
                      base::printable(node.name()));
}

template <class Locate>
void Binder::warn(const char* code, Locate locate, const char* what, std::uint32_t name) {
  diagnostics_.add(code, [&] {
    return Diagnostic{code, Severity::warning, locate(),
                      base::format("{}: '{}'", what, base::printable(model_.names_.text(name)))};
  });
}

}  // namespace thence::onnx
