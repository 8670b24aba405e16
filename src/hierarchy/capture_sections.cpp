#include "hierarchy/capture_sections.h"

#include <optional>

#include "hierarchy/json_read.h"

namespace thence::hierarchy {
namespace {

namespace dom = simdjson::dom;

constexpr std::uint64_t most_values = std::uint64_t{1} << 26;

std::string_view text(dom::element object, const char* key) { return text_or(object, key, {}); }

void read_shape(dom::element item, RecordedValue& value) {
  dom::array sizes;
  if (item["shape"].get_array().get(sizes) != simdjson::SUCCESS) return;
  value.has_shape = true;
  for (const dom::element size : sizes) {
    std::int64_t known = -1;
    if (size.get_int64().get(known) != simdjson::SUCCESS) known = -1;
    value.shape.push_back(known);
  }
}

void mark_made(Recording& recording) {
  const auto step = static_cast<std::uint32_t>(recording.steps.size() - 1);
  for (const std::uint32_t value : recording.outputs(step)) recording.values[value].made_by = step;
}

// FX: nodes by name, within their graph.
class FxReader {
 public:
  FxReader(dom::element section, const ModuleTree& tree) : section_(section), tree_(tree) {}

  Recording read() {
    each(section_, "nodes", [&](dom::element node) { read_node(node); });
    return std::move(recording_);
  }

 private:
  void read_node(dom::element node) {
    const std::string_view op = text(node, "op"), target = text(node, "target");
    std::string name(text(node, "graph"));
    name.append("\n").append(text(node, "name"));
    const auto value = static_cast<std::uint32_t>(recording_.values.size());
    recording_.values.emplace_back();
    read_shape(node, recording_.values.back());
    if (op == "placeholder" || op == "get_attr") {
      const std::string_view path = op == "placeholder" ? signature(text(node, "name")) : target;
      const std::size_t dot = path.rfind('.');
      const std::string_view owner = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
      if (!path.empty() && tree_.find(owner) != no_module)
        recording_.values.back().parameter = recording_.parameter(path);
    } else if (op.starts_with("call_")) {
      RecordedStep step;
      step.word = recording_.word(target);
      each(node, "nn_module_stack", [&](dom::element frame) {
        step.module = tree_.find(text(frame, "path"));
        step.call = static_cast<std::uint32_t>(number(frame, "call").value_or(0));
      });
      dom::element running;
      if (node["running"].get(running) == simdjson::SUCCESS) {
        step.module = tree_.find(text(node, "running"));
        step.relabelled = step.module != no_module;
      }
      recording_.begin(step);
      const std::string_view graph = text(node, "graph");
      dom::element args;
      if (node["args"].get(args) == simdjson::SUCCESS) read_argument(args, graph, 0);
      dom::object kwargs;
      if (node["kwargs"].get_object().get(kwargs) == simdjson::SUCCESS)
        for (const auto& [key, item] : kwargs) read_argument(item, graph, 0);
      recording_.begin_outputs();
      recording_.links.push_back(value);
      mark_made(recording_);
    }
    values_.emplace(std::move(name), value);
  }

  void read_argument(dom::element argument, std::string_view graph, int depth) {
    if (depth > 16) return;
    if (argument.is_array()) {
      for (const dom::element item : dom::array(argument)) read_argument(item, graph, depth + 1);
    } else if (argument.is_object()) {
      std::string name(graph);
      name.append("\n").append(text(argument, "node"));
      if (const auto found = values_.find(name); found != values_.end())
        recording_.links.push_back(found->second);
    }
  }

  std::string_view signature(std::string_view placeholder) const {
    std::string_view path;
    return section_["signature"][placeholder].get_string().get(path) == simdjson::SUCCESS
               ? path
               : std::string_view();
  }

  dom::element section_;
  const ModuleTree& tree_;
  Recording recording_;
  std::unordered_map<std::string, std::uint32_t> values_;
};

}  // namespace

Recording read_execution_trace(dom::element section, const ModuleTree& tree) {
  Recording recording;
  const auto value_at = [&](std::uint64_t id) -> RecordedValue* {
    if (id >= most_values) return nullptr;
    if (id >= recording.values.size()) recording.values.resize(id + 1);
    return &recording.values[id];
  };
  std::uint64_t budget = 0;  // ids are dense: a file that says otherwise is not believed
  each(section, "values", [&](dom::element) { ++budget; });
  each(section, "values", [&](dom::element item) {
    const std::optional<std::uint64_t> id = number(item, "id");
    if (!id || *id >= 2 * budget + 16) return;
    RecordedValue* const value = value_at(*id);
    if (value == nullptr) return;
    read_shape(item, *value);
    if (const std::string_view path = text(item, "parameter"); !path.empty())
      value->parameter = recording.parameter(path);
  });
  const auto link = [&](dom::element id) {
    std::uint64_t value = 0;
    if (id.get_uint64().get(value) == simdjson::SUCCESS && value < recording.values.size())
      recording.links.push_back(static_cast<std::uint32_t>(value));
  };
  each(section, "events", [&](dom::element event) {
    const std::string_view kind = text(event, "kind");
    RecordedStep step;
    step.module = tree.find(text(event, "module"));
    step.call = static_cast<std::uint32_t>(number(event, "call").value_or(0));
    if (step.module == no_module) return;
    if (kind == "op") {
      step.word = recording.word(text(event, "op"));
    } else if (kind == "size") {
      step.kind = RecordedStep::Kind::size;
      step.word = recording.word("size");
    } else {
      return;
    }
    recording.begin(step);
    each(event, "inputs", link);
    if (step.kind == RecordedStep::Kind::size) {
      dom::element value;
      if (event["value"].get(value) == simdjson::SUCCESS) link(value);
    }
    recording.begin_outputs();
    each(event, "outputs", link);
    mark_made(recording);
  });
  return recording;
}

Recording read_fx_graph(dom::element section, const ModuleTree& tree) {
  return FxReader(section, tree).read();
}

ModuleMap read_module_map(dom::element section, const ModuleTree& tree) {
  std::unordered_map<std::uint64_t, MappedCall> scopes;
  each(section, "scopes", [&](dom::element item) {
    const std::optional<std::uint64_t> id = number(item, "id");
    const ModuleId module = tree.find(text(item, "module"));
    if (id && module != no_module)
      scopes[*id] = {module, static_cast<std::uint32_t>(number(item, "call").value_or(0))};
  });
  ModuleMap map;
  each(section, "nodes", [&](dom::element item) {
    const std::optional<std::uint64_t> scope = number(item, "scope");
    const auto found = scope ? scopes.find(*scope) : scopes.end();
    if (found != scopes.end()) map.emplace(text(item, "name"), found->second);
  });
  return map;
}

}  // namespace thence::hierarchy
