// trace_module_map: the call during which the exporter made a node, recorded while it exported.
#include <algorithm>
#include <map>
#include <unordered_set>

#include "evidence/source.h"

namespace thence::evidence {
namespace {

// Whether the model is the graph that a map with numbered names is for: it has the same operators and all the
// names. Another export of the same model may give these names to other nodes.
bool is_same_graph(const onnx::Model& model, const capture::Capture& capture) {
  if (capture.module_map_operators.empty()) return true;
  if (model.graphs().empty()) return false;
  std::map<std::string, std::uint64_t, std::less<>> operators;
  std::unordered_set<std::string_view> names;
  const onnx::Graph& main = model.graphs().front();
  for (NodeId id = main.first_node; id < main.first_node + main.node_count; ++id) {
    const onnx::Node node = model.node(id);
    ++operators[std::string(node.op_type())];
    names.insert(node.name());
  }
  return operators == capture.module_map_operators &&
         std::all_of(capture.module_map->begin(), capture.module_map->end(),
                     [&](const auto& entry) { return names.contains(entry.first); });
}

}  // namespace

void collect_module_map(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  const capture::Capture* const capture = hierarchy.recorded();
  if (capture == nullptr || !capture->module_map || !is_same_graph(model, *capture)) return;
  std::string name;
  for (NodeId id = 0; id < model.node_count(); ++id) {
    name = model.node(id).name();
    const auto found = capture->module_map->find(name);
    if (found == capture->module_map->end()) continue;
    sink.push({.node = id,
               .module = found->second.module,
               .call = found->second.call,
               .source = Source::trace_module_map,
               .why = found->first});
  }
}

}  // namespace thence::evidence
