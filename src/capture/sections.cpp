#include "capture/sections.h"

#include <algorithm>
#include <optional>

#include "base/json.h"
#include "capture/called_modules.h"
#include "capture/limits.h"
#include "capture/section_fields.h"

namespace thence::capture {
namespace {

using base::JsonValue;

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
