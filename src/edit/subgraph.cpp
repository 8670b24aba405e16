// Finds the nodes of a module, and its inputs and outputs.

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "edit/call_counts.h"
#include "edit/extract.h"

namespace thence::edit {
namespace {

using modules::ModuleId;
using onnx::NodeId;
using onnx::ValueId;
using semantics::Map;

Error extract_error(std::string code, std::string text, std::string hint) {
  return {ErrorKind::usage, std::move(code), std::move(text), std::move(hint)};
}

class SubgraphFinder {
 public:
  SubgraphFinder(const Map& map, ModuleId module, const CallCounts& calls, std::uint32_t call)
      : map_(map),
        model_(map.model()),
        module_(module),
        calls_(calls),
        call_(call),
        inside_(model_.node_count(), false),
        included_(model_.node_count(), false) {
    for (onnx::GraphId id = 0; id < model_.graphs().size(); ++id)
      if (model_.graphs()[id].kind == onnx::Graph::Kind::body)
        bodies_[model_.graphs()[id].owner].push_back(id);
  }

  void run(Subgraph& part) {
    const onnx::Graph& main = model_.graphs().front();
    for (NodeId id = main.first_node; id < main.first_node + main.node_count; ++id) {
      inside_[id] = included_[id] = belongs_to_module(id);
      part.unplaced_nodes += has_unknown_call(id);
    }
    include_bodies();
    for (NodeId id = main.first_node + main.node_count; id-- > main.first_node;)
      if (included_[id]) for_each_input(id, [&](ValueId value) { include_constant(value); });
    find_boundary(part);
    for (NodeId id = main.first_node; id < main.first_node + main.node_count; ++id)
      if (included_[id]) part.nodes.push_back(id);
  }

 private:
  // A node whose call is unknown belongs to none.
  bool in_call(ModuleId module, modules::CallNumber call) const {
    return calls_.count(module_) <= 1 || calls_.enclosing_call(module, call, module_) == call_;
  }

  bool has_unknown_call(NodeId id) const {
    const resolve::Attribution& answer = map_.answer(id);
    return answer.known() && calls_.count(module_) > 1 && map_.tree().is_within(answer.module, module_) &&
           !calls_.enclosing_call(answer.module, answer.call(), module_);
  }

  bool belongs_to_module(NodeId id) const {
    const resolve::Attribution& answer = map_.answer(id);
    if (!answer.known()) return false;
    if (map_.tree().is_within(answer.module, module_)) return in_call(answer.module, answer.call());
    const auto all = map_.modules_of(id);
    return std::any_of(all.begin(), all.end(),
                       [&](ModuleId module) { return map_.tree().is_within(module, module_); });
  }

  // The nodes of a body belong to the module of the node that has the body.
  void include_bodies() {
    for (const onnx::Graph& graph : model_.graphs()) {
      if (graph.kind != onnx::Graph::Kind::body) continue;
      for (NodeId id = graph.first_node; id < graph.first_node + graph.node_count; ++id)
        inside_[id] = included_[id] = inside_[graph.owner];
    }
  }

  template <class Use>
  void for_each_input(NodeId id, Use use) const {
    std::vector<NodeId> worklist{id};
    while (!worklist.empty()) {
      const NodeId node = worklist.back();
      worklist.pop_back();
      for (const ValueId value : model_.node(node).inputs())
        if (value != onnx::none) use(value);
      const auto held = bodies_.find(node);
      if (held == bodies_.end()) continue;
      for (const onnx::GraphId body : held->second) {
        const onnx::Graph& graph = model_.graphs()[body];
        for (NodeId inner = graph.first_node; inner < graph.first_node + graph.node_count; ++inner)
          worklist.push_back(inner);
      }
    }
  }

  // Includes nodes that depend only on constants, whatever their module is.
  void include_constant(ValueId value) {
    const onnx::Producer producer = model_.producer(value);
    if (producer.kind != onnx::Producer::Kind::node || included_[producer.index]) return;
    if (!is_constant(producer.index)) return;
    included_[producer.index] = true;
    std::vector<NodeId> worklist{producer.index};
    while (!worklist.empty()) {
      const NodeId node = worklist.back();
      worklist.pop_back();
      for_each_input(node, [&](ValueId input) {
        const onnx::Producer before = model_.producer(input);
        if (before.kind != onnx::Producer::Kind::node || included_[before.index]) return;
        included_[before.index] = true;
        worklist.push_back(before.index);
      });
    }
  }

  bool is_constant(NodeId start) {
    if (constant_.empty()) constant_.resize(model_.node_count(), Constancy::unvisited);
    std::vector<NodeId> worklist{start};
    while (!worklist.empty()) {
      const NodeId node = worklist.back();
      if (constant_[node] == Constancy::constant || constant_[node] == Constancy::variable) {
        worklist.pop_back();
        continue;
      }
      constant_[node] = Constancy::visiting;
      bool varies = is_random(node), is_open = false;
      for_each_input(node, [&](ValueId value) {
        const onnx::Producer producer = model_.producer(value);
        if (producer.kind == onnx::Producer::Kind::graph_input) varies = true;
        if (producer.kind != onnx::Producer::Kind::node || varies) return;
        const Constancy constancy = constant_[producer.index];
        if (constancy == Constancy::variable || constancy == Constancy::visiting)
          varies = true;  // `visiting` means a cycle
        if (constancy == Constancy::unvisited) {
          worklist.push_back(producer.index);
          is_open = true;
        }
      });
      if (varies) {
        constant_[node] = Constancy::variable;
      } else if (!is_open) {
        constant_[node] = Constancy::constant;
        worklist.pop_back();
      }
    }
    return constant_[start] == Constancy::constant;
  }

  bool is_random(NodeId id) const { return model_.node(id).op_type().starts_with("Random"); }

  // By value: whether a node outside the part reads it, or the model returns it.
  std::vector<bool> values_read_outside() const {
    std::vector<bool> read(model_.value_count(), false);
    for (NodeId id = 0; id < model_.node_count(); ++id)
      if (!inside_[id])
        for (const ValueId value : model_.node(id).inputs())
          if (value != onnx::none) read[value] = true;
    for (const ValueId value : model_.graphs().front().outputs) read[value] = true;
    return read;
  }

  void find_boundary(Subgraph& part) {
    std::vector<bool> seen(model_.value_count(), false);
    const std::vector<bool> read_outside = values_read_outside();
    for (NodeId id = 0; id < model_.node_count(); ++id) {
      if (!included_[id]) continue;
      for (const ValueId value : model_.node(id).inputs())
        if (value != onnx::none && !seen[value]) {
          seen[value] = true;
          include_input(value, part);
        }
      if (!inside_[id] || model_.node(id).graph() != 0 || is_constant(id)) continue;
      for (const ValueId value : model_.node(id).outputs())
        if (value != onnx::none && read_outside[value]) part.outputs.push_back({value, {}});
    }
  }

  void include_input(ValueId value, Subgraph& part) {
    const onnx::Producer producer = model_.producer(value);
    switch (producer.kind) {
      case onnx::Producer::Kind::initializer:
        if (model_.initializers()[producer.index].graph == 0) part.initializers.push_back(producer.index);
        return;
      case onnx::Producer::Kind::node:
        if (!included_[producer.index]) part.inputs.push_back({value, {}});
        return;
      default:
        if (is_main_input(value)) part.inputs.push_back({value, {}});
    }
  }

  bool is_main_input(ValueId value) const {
    const auto& inputs = model_.graphs().front().inputs;
    return std::find(inputs.begin(), inputs.end(), value) != inputs.end();
  }

  enum class Constancy : std::uint8_t { unvisited, visiting, constant, variable };
  const Map& map_;
  const onnx::Model& model_;
  const ModuleId module_;
  const CallCounts& calls_;
  const std::uint32_t call_;
  std::vector<bool> inside_;    // nodes of the module
  std::vector<bool> included_;  // these and the constants they need
  std::vector<Constancy> constant_;
  std::unordered_map<NodeId, std::vector<onnx::GraphId>> bodies_;
};

void name_boundary(std::vector<Boundary>& edge, std::string_view path, const char* word,
                   const onnx::Model& model, bool keep) {
  for (std::size_t i = 0; i < edge.size(); ++i)
    edge[i].name = keep ? std::string(model.value_name(edge[i].value))
                        : base::format("{}{}{}{}", path, path.empty() ? "" : ".", word,
                                       i == 0 ? "" : base::format("_{}", i));
}

}  // namespace

Result<Subgraph> find_subgraph(const Map& map, const ExtractOptions& options, const Types& types) {
  Subgraph part;
  part.module = map.tree().find(options.module);
  if (part.module == modules::no_module)
    return extract_error("E003", base::format("no module has the path '{}'", base::printable(options.module)),
                         "'thence show' lists the modules");
  const CallCounts calls(map);
  part.calls = calls.count(part.module);
  if (options.call && *options.call >= part.calls)
    return extract_error(
        "E004", base::format("module '{}' runs {} times", base::printable(options.module), part.calls),
        base::format("--call is from 0 to {}", part.calls - 1));
  part.call = static_cast<std::uint32_t>(options.call.value_or(0));
  SubgraphFinder(map, part.module, calls, part.call).run(part);
  if (part.outputs.empty())
    return extract_error(
        "E005",
        base::format("no node of the main graph is attributed to module '{}', or no value of it is used",
                     base::printable(options.module)),
        "'thence map' prints the module of each node; a capture may add some");
  const std::string_view path = map.tree()[part.module].path;
  name_boundary(part.inputs, path, "input", map.model(), options.keep_names);
  name_boundary(part.outputs, path, "output", map.model(), options.keep_names);
  for (const auto* edge : {&part.inputs, &part.outputs})
    for (const Boundary& boundary : *edge)
      if (const std::string name(map.model().value_name(boundary.value)); !types.contains(name))
        part.untyped.push_back(name);
  return part;
}

}  // namespace thence::edit
