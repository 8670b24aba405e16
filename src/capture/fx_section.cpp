// The section `fx_graph`: nodes by name, within their graph.
#include "base/format.h"
#include "base/json.h"
#include "capture/limits.h"
#include "capture/section_fields.h"
#include "capture/sections.h"

namespace thence::capture {
namespace {

using base::JsonValue;

// A body is read where it runs, after the node that refers to it.
class FxReader {
 public:
  FxReader(JsonValue section, ModuleTree& tree) : section_(section), tree_(tree) {}

  Recording read() {
    std::vector<std::string_view> order;
    for (const JsonValue node : section_["nodes"].items()) {
      const auto [graph, is_new] = graphs_.try_emplace(text(node, "graph"));
      if (is_new) order.push_back(graph->first);
      graph->second.nodes.push_back(node);
      graph->second.inputs += text(node, "op") == "placeholder";
    }
    // In the order of the file, for graphs that no node refers to.
    for (const std::string_view name : order)
      if (graphs_.at(name).reads == 0) read_with_bodies(graphs_.at(name));
    return std::move(recording_);
  }

 private:
  struct Graph {
    std::vector<JsonValue> nodes;
    std::size_t inputs = 0;  // the number of placeholders
    int reads = 0;
  };

  // Nodes of a graph that are still to read.
  struct Range {
    Graph* graph;
    std::size_t next, end;
    std::vector<std::uint32_t> arguments;  // values of the placeholders to come, in reverse
    bool reads_bodies = true;
  };

  struct Arguments {
    std::vector<std::uint32_t> values;
    std::vector<Graph*> bodies;
  };

  void read_with_bodies(Graph& first) {
    open(first, {});
    while (!open_.empty()) {
      Range& range = open_.back();
      if (range.next == range.end) {
        open_.pop_back();
        continue;
      }
      const std::size_t at = range.next++;
      const JsonValue node = range.graph->nodes[at];
      const Arguments arguments = range.reads_bodies ? arguments_of(node) : Arguments();
      if (arguments.bodies.size() == 2 && text(node, "target").ends_with("while_loop")) {
        open_loop(*range.graph, at, arguments);
        continue;
      }
      read_node(node, range);
      for (auto body = arguments.bodies.rbegin(); body != arguments.bodies.rend(); ++body)
        open(**body, arguments.values);
    }
  }

  // The last arguments of a node are those of its bodies, in order. A graph that is read over and over would
  // take forever.
  void open(Graph& graph, const std::vector<std::uint32_t>& arguments) {
    if (++graph.reads > most_reads_of_body) return;
    Range& range = open_.emplace_back(Range{&graph, 0, graph.nodes.size(), {}});
    if (arguments.size() >= graph.inputs)
      range.arguments.assign(arguments.rbegin(),
                             arguments.rbegin() + static_cast<std::ptrdiff_t>(graph.inputs));
  }

  // Exporters write the condition twice: before the loop, and at the end of its body.
  void open_loop(Graph& graph, std::size_t at, const Arguments& arguments) {
    open(*arguments.bodies[0], arguments.values);
    open(*arguments.bodies[1], arguments.values);
    open_.push_back(Range{&graph, at, at + 1, {}, false});
    open(*arguments.bodies[0], arguments.values);
  }

  // The body that a `get_attr` node of a graph stands for, if it is one.
  void note_body(std::string_view graph, std::string_view target, const std::string& name) {
    const std::string path = graph.empty() ? std::string(target) : base::format("{}.{}", graph, target);
    if (const auto body = graphs_.find(path); body != graphs_.end()) body_of_.emplace(name, &body->second);
  }

  void read_node(JsonValue node, Range& within) {
    const std::string_view op = text(node, "op"), target = text(node, "target");
    std::string name(text(node, "graph"));
    name.append("\n").append(text(node, "name"));
    if (op == "placeholder" && !within.arguments.empty()) {
      values_.insert_or_assign(std::move(name), within.arguments.back());
      within.arguments.pop_back();
      return;
    }
    const auto value = static_cast<std::uint32_t>(recording_.values.size());
    recording_.values.emplace_back();
    read_shape(node, recording_.values.back());
    if (op == "placeholder" || op == "get_attr") {
      const std::string_view path = op == "placeholder" ? signature(text(node, "name")) : target;
      const std::size_t dot = path.rfind('.');
      const std::string_view owner = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
      if (!path.empty() && tree_.find(owner) != no_module)
        recording_.values.back().parameter = recording_.intern_parameter(path);
      if (op == "get_attr") note_body(text(node, "graph"), target, name);
    } else if (op.starts_with("call_")) {
      RecordedStep step;
      step.op_name = recording_.intern_op_name(target);
      read_stack(node["nn_module_stack"], step);
      if (node["running"].exists()) {
        step.module = as_called_in_stack(tree_.find(text(node, "running")));
        step.call.reset();  // the stack has the number of another module's call
        step.relabelled = step.module != no_module;
      }
      recording_.begin_step(step);
      for (const std::uint32_t argument : arguments_of(node).values) recording_.links.push_back(argument);
      recording_.begin_outputs();
      recording_.links.push_back(value);
      set_producers(recording_);
    }
    values_.insert_or_assign(std::move(name), value);
  }

  // The calls of a module with several paths are not numbered, nor are calls in bodies.
  void read_stack(JsonValue stack, RecordedStep& step) {
    stack_.assign(1, modules::root);
    for (const JsonValue frame : stack.items()) {
      step.module = tree_.find(text(frame, "path"));
      if (step.module == no_module) continue;
      step.call = call_of(frame);
      note_call(step.module, step.call);
      stack_.push_back(step.module = tree_.as_called_by(stack_.back(), step.module));
    }
  }

  // As in a saved program: a module whose forward was not observed ran as often as its stacks show.
  void note_call(ModuleId module, modules::CallNumber call) {
    if (call && tree_[module].calls.value_or(0) <= *call) tree_.set_calls(module, *call + 1);
  }

  // The module below the innermost module of the stack that contains it.
  ModuleId as_called_in_stack(ModuleId module) {
    if (module == no_module || tree_[module].aliases.empty()) return module;
    for (auto caller = stack_.rbegin(); caller != stack_.rend(); ++caller)
      if (const ModuleId called = tree_.as_called_by(*caller, module); tree_.is_within(called, *caller))
        return called;
    return module;
  }

  Arguments arguments_of(JsonValue node) const {
    Arguments found;
    const std::string_view graph = text(node, "graph");
    if (!text(node, "op").starts_with("call_")) return found;
    add_argument(node["args"], graph, 0, found);
    for (const auto& [key, item] : node["kwargs"].members()) add_argument(item, graph, 0, found);
    return found;
  }

  void add_argument(JsonValue argument, std::string_view graph, int depth, Arguments& found) const {
    if (depth > max_argument_depth) return;
    if (argument.is_array()) {
      for (const JsonValue item : argument.items()) add_argument(item, graph, depth + 1, found);
    } else if (argument.is_object()) {
      std::string name(graph);
      name.append("\n").append(text(argument, "node"));
      if (const auto body = body_of_.find(name); body != body_of_.end())
        found.bodies.push_back(body->second);
      else if (const auto value = values_.find(name); value != values_.end())
        found.values.push_back(value->second);
    }
  }

  std::string_view signature(std::string_view placeholder) const {
    return section_["signature"][placeholder].text_or({});
  }

  JsonValue section_;
  ModuleTree& tree_;
  Recording recording_;
  std::unordered_map<std::string, std::uint32_t> values_;
  std::unordered_map<std::string_view, Graph> graphs_;  // by name
  std::unordered_map<std::string, Graph*> body_of_;     // by node
  std::vector<Range> open_;                             // the last is read; bodies may be nested deeply
  std::vector<ModuleId> stack_;                         // of the step that is read, from the root
};

}  // namespace

Recording read_fx_graph(JsonValue section, ModuleTree& tree) { return FxReader(section, tree).read(); }

}  // namespace thence::capture
