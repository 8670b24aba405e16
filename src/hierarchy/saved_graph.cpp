#include "hierarchy/saved_graph.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "hierarchy/json_read.h"

namespace thence::hierarchy {
namespace {

namespace dom = simdjson::dom;

// One module of a stack, as "L__self___fc@1,fc,torch.nn.modules.linear.Linear" writes it: the second call.
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
  // Inside a body the root is there twice, once as itself and once as what was exported; and a stack that was
  // lost is there by name.
  constexpr std::string_view exported = "_export_root", lost = "_empty_nn_module_stack";
  const std::string_view key = text.substr(0, before_path);
  if (key.starts_with(lost) || frame.path == exported) return std::nullopt;
  if (frame.path.starts_with("_export_root.")) frame.path.remove_prefix(exported.size() + 1);
  if (const std::size_t at = key.rfind('@'); at != std::string_view::npos)
    std::from_chars(key.data() + at + 1, key.data() + key.size(), frame.call);
  return frame;
}

// The operations' names without where PyTorch keeps them, as it prints them itself.
std::string_view operation(std::string_view target) {
  constexpr std::string_view home = "torch.ops.";
  if (target.starts_with(home) && !target.starts_with("torch.ops.higher_order."))
    target.remove_prefix(home.size());
  return target;
}

void read_shape(dom::element meta, RecordedValue& value) {
  value.has_shape = meta["sizes"].is_array();
  each(meta, "sizes", [&](dom::element size) {
    std::int64_t known = -1;
    if (size["as_int"].get_int64().get(known) != simdjson::SUCCESS) known = -1;
    value.shape.push_back(known);
  });
}

class GraphReader {
 public:
  GraphReader(const SavedSignature& signature, ModuleTree& tree) : signature_(signature), tree_(tree) {}

  Recording read(dom::element graph) {
    std::vector<dom::element> graphs{graph};  // still to read, the next one last
    while (!graphs.empty()) {
      const dom::element next = graphs.back();
      graphs.pop_back();
      bodies_.clear();
      read_graph(next);
      graphs.insert(graphs.end(), bodies_.rbegin(), bodies_.rend());
    }
    return std::move(recording_);
  }

 private:
  void read_graph(dom::element graph) {
    values_.clear();
    tensors_.clear();
    dom::object tensors;
    if (graph["tensor_values"].get_object().get(tensors) == simdjson::SUCCESS)
      for (const auto& [name, meta] : tensors) tensors_.emplace(name, meta);
    each(graph, "inputs",
         [&](dom::element input) { each_name(input, [&](std::string_view name) { read_input(name); }); });
    each(graph, "nodes", [&](dom::element node) { read_node(node); });
  }

  void read_input(std::string_view name) {
    const std::uint32_t value = add_value(name);
    const auto path = signature_.find(name);
    if (path != signature_.end()) recording_.values[value].parameter = recording_.parameter(path->second);
  }

  void read_node(dom::element node) {
    std::vector<std::string_view> made;
    each(node, "outputs", [&](dom::element output) {
      each_name(output, [&](std::string_view name) { made.push_back(name); });
    });
    // Older programs do not name nodes, only what they make.
    const std::string_view name = text_or(node, "name", made.size() == 1 ? made.front() : std::string_view());
    const RecordedStep at = place_of(node);
    begin(at, operation(text_or(node, "target", {})));
    each(node, "inputs", [&](dom::element input) {
      dom::element argument;
      if (input["arg"].get(argument) == simdjson::SUCCESS) each_name(argument, [&](auto n) { link(n); });
    });
    const std::uint32_t value = end(name);
    // A graph takes the parts of a result out one by one; a saved one has only their names.
    const std::string unused = std::string(name).append("_unused_");
    for (const std::string_view part : made) {
      if (part == name || part.starts_with(unused)) continue;
      begin(at, "_operator.getitem");
      recording_.links.push_back(value);
      end(part);
    }
  }

  // The innermost module of the node's stack.
  RecordedStep place_of(dom::element node) {
    RecordedStep step;
    for (const std::string_view text : base::split(text_or(node["metadata"], "nn_module_stack", {}), ';')) {
      const std::optional<Frame> frame = read_frame(text);
      if (!frame) continue;
      step.module = tree_.add(frame->path, frame->class_name);
      step.call = frame->call;
      if (step.module != no_module && tree_[step.module].calls.value_or(0) <= frame->call)
        tree_.set_calls(step.module, std::max(frame->call, frame->call + 1));  // the last number has no next
    }
    return step;
  }

  void begin(RecordedStep step, std::string_view word) {
    step.word = recording_.word(word);
    recording_.begin(step);
  }

  std::uint32_t end(std::string_view name) {
    const std::uint32_t value = add_value(name);
    recording_.begin_outputs();
    recording_.links.push_back(value);
    recording_.values[value].made_by = static_cast<std::uint32_t>(recording_.steps.size() - 1);
    return value;
  }

  // Names are unique: one that comes again gets no shape, lest few bytes ask for much memory.
  std::uint32_t add_value(std::string_view name) {
    const auto value = static_cast<std::uint32_t>(recording_.values.size());
    recording_.values.emplace_back();
    const bool fresh = values_.emplace(name, value).second;
    if (const auto tensor = tensors_.find(name); fresh && tensor != tensors_.end())
      read_shape(tensor->second, recording_.values.back());
    return value;
  }

  void link(std::string_view name) {
    if (const auto found = values_.find(name); found != values_.end())
      recording_.links.push_back(found->second);
  }

  // The values that an argument speaks of, in order, however they are packed; bodies are kept for later.
  template <class Use>
  void each_name(dom::element argument, Use use) {
    std::vector<dom::element> open{argument};  // the next one last
    while (!open.empty()) {
      const dom::element item = open.back();
      open.pop_back();
      const std::size_t inside = open.size();
      std::string_view name;
      dom::element body;
      if (item["graph"].get(body) == simdjson::SUCCESS) {
        bodies_.push_back(body);
      } else if (item["name"].get_string().get(name) == simdjson::SUCCESS ||
                 item["as_name"].get_string().get(name) == simdjson::SUCCESS) {
        use(name);
      } else if (item.is_object()) {
        for (const auto& [key, value] : dom::object(item)) open.push_back(value);
      } else if (item.is_array()) {
        for (const dom::element value : dom::array(item)) open.push_back(value);
      }
      std::reverse(open.begin() + static_cast<std::ptrdiff_t>(inside), open.end());
    }
  }

  const SavedSignature& signature_;
  ModuleTree& tree_;
  Recording recording_;
  std::vector<dom::element> bodies_;                            // held by the graph that is read
  std::unordered_map<std::string_view, dom::element> tensors_;  // what is known of its values
  std::unordered_map<std::string_view, std::uint32_t> values_;  // its values
};

}  // namespace

Recording read_saved_graph(dom::element graph, const SavedSignature& signature, ModuleTree& tree) {
  return GraphReader(signature, tree).read(graph);
}

}  // namespace thence::hierarchy
