#include "capture/sections.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/json.h"
#include "capture/called_modules.h"
#include "capture/limits.h"

namespace thence::capture {
namespace {

using base::JsonValue;

std::string_view text(JsonValue object, const char* key) { return object[key].text_or({}); }

std::uint32_t call_of(JsonValue object) {
  return static_cast<std::uint32_t>(object["call"].natural().value_or(0));
}

void read_shape(JsonValue item, RecordedValue& value) {
  const JsonValue sizes = item["shape"];
  value.has_shape = sizes.is_array();
  for (const JsonValue size : sizes.items()) value.shape.push_back(size.integer().value_or(-1));
}

void set_producers(Recording& recording) {
  const auto step = static_cast<std::uint32_t>(recording.steps.size() - 1);
  for (const std::uint32_t value : recording.outputs(step)) recording.values[value].producer = step;
}

// FX: nodes by name, within their graph. A body is read where it runs, after the node that refers to it.
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
    for (const std::string_view name : order) read_with_bodies(name);
    return std::move(recording_);
  }

 private:
  struct Graph {
    std::vector<JsonValue> nodes;
    std::size_t next = 0;                  // still to read
    std::size_t inputs = 0;                // the number of placeholders
    std::vector<std::uint32_t> arguments;  // values of the placeholders that are still to read, in reverse
  };

  void read_with_bodies(std::string_view name) {
    std::vector<Graph*> open{&graphs_.at(name)};  // a stack of our own, because bodies may be nested deeply
    while (!open.empty()) {
      Graph& graph = *open.back();
      if (graph.next == graph.nodes.size()) {
        open.pop_back();
        continue;
      }
      bodies_.clear();
      read_node(graph.nodes[graph.next++], graph);
      for (auto body = bodies_.rbegin(); body != bodies_.rend(); ++body) {
        set_arguments(**body);
        open.push_back(*body);
      }
    }
  }

  // The last arguments of the node that was read are those of its bodies, in order.
  void set_arguments(Graph& body) const {
    const std::span<const std::uint32_t> arguments = recording_.inputs(recording_.steps.size() - 1);
    if (arguments.size() < body.inputs) return;
    const auto own = arguments.last(body.inputs);
    body.arguments.assign(own.rbegin(), own.rend());
  }

  // The body that a `get_attr` node of a graph stands for, if it is one.
  void note_body(std::string_view graph, std::string_view target, const std::string& name) {
    const std::string path = graph.empty() ? std::string(target) : base::format("{}.{}", graph, target);
    if (const auto body = graphs_.find(path); body != graphs_.end()) body_of_.emplace(name, &body->second);
  }

  void read_node(JsonValue node, Graph& within) {
    const std::string_view op = text(node, "op"), target = text(node, "target");
    std::string name(text(node, "graph"));
    name.append("\n").append(text(node, "name"));
    if (op == "placeholder" && !within.arguments.empty()) {
      values_.emplace(std::move(name), within.arguments.back());
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
        step.relabelled = step.module != no_module;
      }
      recording_.begin_step(step);
      const std::string_view graph = text(node, "graph");
      read_argument(node["args"], graph, 0);
      for (const auto& [key, item] : node["kwargs"].members()) read_argument(item, graph, 0);
      recording_.begin_outputs();
      recording_.links.push_back(value);
      set_producers(recording_);
    }
    values_.emplace(std::move(name), value);
  }

  // The calls of a module with several paths are not numbered.
  void read_stack(JsonValue stack, RecordedStep& step) {
    stack_.assign(1, modules::root);
    for (const JsonValue frame : stack.items()) {
      step.module = tree_.find(text(frame, "path"));
      if (step.module == no_module) continue;
      step.call = call_of(frame);
      stack_.push_back(step.module = tree_.as_called_by(stack_.back(), step.module));
    }
  }

  // The module below the innermost module of the stack that contains it.
  ModuleId as_called_in_stack(ModuleId module) {
    if (module == no_module || tree_[module].aliases.empty()) return module;
    for (auto caller = stack_.rbegin(); caller != stack_.rend(); ++caller)
      if (const ModuleId called = tree_.as_called_by(*caller, module); tree_.is_within(called, *caller))
        return called;
    return module;
  }

  void read_argument(JsonValue argument, std::string_view graph, int depth) {
    if (depth > max_argument_depth) return;
    if (argument.is_array()) {
      for (const JsonValue item : argument.items()) read_argument(item, graph, depth + 1);
    } else if (argument.is_object()) {
      std::string name(graph);
      name.append("\n").append(text(argument, "node"));
      if (const auto body = body_of_.find(name); body != body_of_.end())
        bodies_.push_back(body->second);
      else if (const auto found = values_.find(name); found != values_.end())
        recording_.links.push_back(found->second);
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
  std::vector<Graph*> bodies_;                          // of the last node
  std::vector<ModuleId> stack_;                         // of the step that is read, from the root
};

// An execution trace: values by number, then the events that wrote them.
class TraceReader {
 public:
  TraceReader(JsonValue section, ModuleTree& tree) : section_(section), tree_(tree) {}

  Recording read() {
    read_values();
    for (const JsonValue event : section_["events"].items()) read_event(event);
    return std::move(recording_);
  }

 private:
  void read_values() {
    std::uint64_t count = 0;
    for ([[maybe_unused]] const JsonValue item : section_["values"].items()) ++count;
    const std::uint64_t end = std::min(2 * count + spare_values, max_values);
    for (const JsonValue item : section_["values"].items()) {
      const std::optional<std::uint64_t> id = item["id"].natural();
      if (id && *id < end) read_value(item, static_cast<std::size_t>(*id));
    }
  }

  void read_value(JsonValue item, std::size_t id) {
    if (id >= recording_.values.size()) recording_.values.resize(id + 1);
    RecordedValue& value = recording_.values[id];
    read_shape(item, value);
    if (const std::string_view path = text(item, "parameter"); !path.empty())
      value.parameter = recording_.intern_parameter(path);
  }

  void read_event(JsonValue event) {
    std::optional<RecordedStep> step = step_of(event);
    if (!step) return;
    recording_.begin_step(*step);
    for (const JsonValue id : event["inputs"].items()) link(id);
    if (step->kind == RecordedStep::Kind::size) link(event["value"]);
    recording_.begin_outputs();
    for (const JsonValue id : event["outputs"].items()) link(id);
    set_producers(recording_);
  }

  // Empty for an event of another kind, or for a module that is not in the tree.
  std::optional<RecordedStep> step_of(JsonValue event) {
    const CalledModules::Call recorded{tree_.find(text(event, "module")), call_of(event),
                                       event["direct"].boolean().value_or(false)};
    const std::string_view kind = text(event, "kind");
    if (recorded.module == no_module) return std::nullopt;
    if (kind == "enter") enter(recorded);
    if (kind == "exit" && !running_.empty()) running_.pop_back();
    const CalledModules::Call call = as_called(recorded);
    RecordedStep step;
    step.module = call.module;
    step.call = call.number;
    if (kind == "op") {
      step.op_name = recording_.intern_op_name(text(event, "op"));
    } else if (kind == "size") {
      step.kind = RecordedStep::Kind::size;
      step.op_name = recording_.intern_op_name("size");
    } else {
      return std::nullopt;
    }
    return step;
  }

  void enter(const CalledModules::Call& recorded) {
    const ModuleId caller = running_.empty() ? modules::root : running_.back().called.module;
    const std::size_t outer = running_.empty() ? 0 : running_.back().innermost;
    running_.push_back(
        {recorded, called_.find(caller, recorded), recorded.is_direct ? outer : running_.size()});
  }

  // Operations name the innermost call that is not direct.
  CalledModules::Call as_called(const CalledModules::Call& recorded) const {
    if (running_.empty()) return recorded;
    const RunningCall& call = running_[running_.back().innermost];
    return call.recorded.module == recorded.module && !call.recorded.is_direct ? call.called : recorded;
  }

  void link(JsonValue id) {
    const std::optional<std::uint64_t> value = id.natural();
    if (value && *value < recording_.values.size())
      recording_.links.push_back(static_cast<std::uint32_t>(*value));
  }

  struct RunningCall {
    CalledModules::Call recorded, called;
    std::size_t innermost;  // in running_: itself, or the innermost call around it that is not direct
  };

  JsonValue section_;
  ModuleTree& tree_;
  CalledModules called_{tree_};
  std::vector<RunningCall> running_;
  Recording recording_;
};

}  // namespace

Recording read_execution_trace(JsonValue section, ModuleTree& tree) {
  return TraceReader(section, tree).read();
}

Recording read_fx_graph(JsonValue section, ModuleTree& tree) { return FxReader(section, tree).read(); }

ModuleMap read_module_map(JsonValue section, ModuleTree& tree) {
  std::unordered_map<std::uint64_t, MappedCall> scopes;
  CalledModules called(tree);
  for (const JsonValue item : section["scopes"].items()) {
    const std::optional<std::uint64_t> id = item["id"].natural();
    const ModuleId module = tree.find(text(item, "module"));
    if (!id || module == no_module) continue;
    const std::optional<std::uint64_t> outer = item["outer"].natural();
    const auto caller = outer ? scopes.find(*outer) : scopes.end();
    const CalledModules::Call call =
        called.find(caller == scopes.end() ? modules::root : caller->second.module,
                    {.module = module, .number = call_of(item)});
    scopes[*id] = {call.module, call.number};
  }
  ModuleMap map;
  for (const JsonValue item : section["nodes"].items()) {
    const std::optional<std::uint64_t> scope = item["scope"].natural();
    const auto found = scope ? scopes.find(*scope) : scopes.end();
    if (found != scopes.end()) map.emplace(text(item, "name"), found->second);
  }
  return map;
}

}  // namespace thence::capture
