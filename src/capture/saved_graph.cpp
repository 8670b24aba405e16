#include "capture/saved_graph.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "base/json.h"
#include "base/text.h"

namespace thence::capture {
namespace {

using base::JsonValue;

// One module of a stack, such as "L__self___fc@1,fc,torch.nn.modules.linear.Linear", its second call.
struct Frame {
  std::string_view path, class_name;
  std::uint32_t call = 0;
};

std::optional<Frame> read_frame(std::string_view text) {
  const std::size_t before_class = text.rfind(',');
  if (before_class == std::string_view::npos || before_class == 0) return std::nullopt;
  const std::size_t before_path = text.rfind(',', before_class - 1);
  if (before_path == std::string_view::npos) return std::nullopt;
  Frame frame;
  frame.class_name = text.substr(before_class + 1);
  frame.path = text.substr(before_path + 1, before_class - before_path - 1);
  // In a body, the root occurs twice: as itself and as the exported module. A lost stack has a special name.
  constexpr std::string_view exported = "_export_root", lost = "_empty_nn_module_stack";
  const std::string_view key = text.substr(0, before_path);
  if (key.starts_with(lost) || frame.path == exported) return std::nullopt;
  if (frame.path.starts_with("_export_root.")) frame.path.remove_prefix(exported.size() + 1);
  if (const std::size_t at = key.rfind('@'); at != std::string_view::npos)
    std::from_chars(key.data() + at + 1, key.data() + key.size(), frame.call);
  return frame;
}

// The name of an operation without the prefix of its namespace, as PyTorch prints it.
std::string_view operation_name(std::string_view target) {
  constexpr std::string_view home = "torch.ops.";
  if (target.starts_with(home) && !target.starts_with("torch.ops.higher_order."))
    target.remove_prefix(home.size());
  return target;
}

void read_saved_shape(JsonValue meta, RecordedValue& value) {
  value.has_shape = meta["sizes"].is_array();
  for (const JsonValue size : meta["sizes"].items())
    value.shape.push_back(size["as_int"].integer().value_or(-1));
}

class GraphReader {
 public:
  GraphReader(const SavedSignature& signature, ModuleTree& tree) : signature_(signature), tree_(tree) {}

  // A body is read where it runs, after the node that has it as an argument.
  Recording read(JsonValue graph) {
    open(graph);
    while (!open_.empty()) {
      Graph& current = *open_.back();
      if (current.next == current.nodes.size()) {
        open_.pop_back();
        continue;
      }
      bodies_.clear();
      read_node(current.nodes[current.next++]);
      const std::vector<JsonValue> bodies = bodies_;
      for (auto body = bodies.rbegin(); body != bodies.rend(); ++body) open(*body);
    }
    return std::move(recording_);
  }

 private:
  struct Graph {
    std::vector<JsonValue> nodes;
    std::size_t next = 0;                                        // still to read
    std::unordered_map<std::string_view, JsonValue> tensors;     // type information of its values, by name
    std::unordered_map<std::string_view, std::uint32_t> values;  // by name
  };

  void open(JsonValue graph) {
    Graph& opened = *open_.emplace_back(std::make_unique<Graph>());
    for (const auto& [name, meta] : graph["tensor_values"].members()) opened.tensors.emplace(name, meta);
    for (const JsonValue input : graph["inputs"].items())
      for_each_name(input, [&](std::string_view name) { read_input(name); });
    for (const JsonValue node : graph["nodes"].items()) opened.nodes.push_back(node);
  }

  void read_input(std::string_view name) {
    const std::uint32_t value = add_value(name);
    const auto path = signature_.find(name);
    if (path != signature_.end())
      recording_.values[value].parameter = recording_.intern_parameter(path->second);
  }

  void read_node(JsonValue node) {
    std::vector<std::string_view> made;
    for (const JsonValue output : node["outputs"].items())
      for_each_name(output, [&](std::string_view name) { made.push_back(name); });
    // Older programs do not name nodes, only their outputs.
    const std::string_view name = node["name"].text_or(made.size() == 1 ? made.front() : std::string_view());
    const RecordedStep at = read_location(node);
    begin(at, operation_name(node["target"].text_or({})));
    for (const JsonValue input : node["inputs"].items())
      for_each_name(input["arg"], [&](std::string_view argument) { link(argument); });
    const std::uint32_t value = end(name);
    // A graph extracts the elements of a result one by one; a saved graph has only their names.
    const std::string unused = std::string(name).append("_unused_");
    for (const std::string_view part : made) {
      if (part == name || part.starts_with(unused)) continue;
      begin(at, "_operator.getitem");
      recording_.links.push_back(value);
      end(part);
    }
  }

  // The innermost module in the node's stack.
  RecordedStep read_location(JsonValue node) {
    RecordedStep step;
    for (const std::string_view text : base::split(node["metadata"]["nn_module_stack"].text_or({}), ';')) {
      const std::optional<Frame> frame = read_frame(text);
      if (!frame) continue;
      step.module = tree_.add(frame->path, frame->class_name);
      step.call = frame->call;
      if (step.module != no_module && tree_[step.module].calls.value_or(0) <= frame->call)
        tree_.set_calls(step.module, std::max(frame->call, frame->call + 1));  // avoids overflow
    }
    return step;
  }

  void begin(RecordedStep step, std::string_view word) {
    step.op_name = recording_.intern_op_name(word);
    recording_.begin_step(step);
  }

  std::uint32_t end(std::string_view name) {
    const std::uint32_t value = add_value(name);
    recording_.begin_outputs();
    recording_.links.push_back(value);
    recording_.values[value].producer = static_cast<std::uint32_t>(recording_.steps.size() - 1);
    return value;
  }

  // Names are unique. A repeated name gets no shape, because otherwise a few bytes could require much memory.
  std::uint32_t add_value(std::string_view name) {
    const auto value = static_cast<std::uint32_t>(recording_.values.size());
    recording_.values.emplace_back();
    Graph& graph = *open_.back();
    const bool is_new = graph.values.emplace(name, value).second;
    if (const auto tensor = graph.tensors.find(name); is_new && tensor != graph.tensors.end())
      read_saved_shape(tensor->second, recording_.values.back());
    return value;
  }

  void link(std::string_view name) {
    const auto& values = open_.back()->values;
    if (const auto found = values.find(name); found != values.end())
      recording_.links.push_back(found->second);
  }

  // The values in an argument, in order, at any nesting. Bodies are queued.
  template <class Use>
  void for_each_name(JsonValue argument, Use use) {
    std::vector<JsonValue> open{argument};  // the last is next
    while (!open.empty()) {
      const JsonValue item = open.back();
      open.pop_back();
      const std::size_t inside = open.size();
      if (const JsonValue body = item["graph"]; body.exists()) {
        bodies_.push_back(body);
      } else if (const auto name = item["name"].text() ? item["name"].text() : item["as_name"].text()) {
        use(*name);
      } else {
        for (const auto& [key, value] : item.members()) open.push_back(value);
        for (const JsonValue value : item.items()) open.push_back(value);
      }
      std::reverse(open.begin() + static_cast<std::ptrdiff_t>(inside), open.end());
    }
  }

  const SavedSignature& signature_;
  ModuleTree& tree_;
  Recording recording_;
  std::vector<std::unique_ptr<Graph>> open_;  // the last is read; bodies may be nested deeply
  std::vector<JsonValue> bodies_;             // of the last node
};

}  // namespace

Recording read_saved_graph(JsonValue graph, const SavedSignature& signature, ModuleTree& tree) {
  return GraphReader(signature, tree).read(graph);
}

}  // namespace thence::capture
