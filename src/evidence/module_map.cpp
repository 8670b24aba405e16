// trace_module_map: the call during which the exporter made a node, recorded while it exported.
#include "evidence/source.h"

namespace thence::evidence {

void collect_module_map(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  const capture::Capture* const capture = hierarchy.recorded();
  if (capture == nullptr || !capture->module_map) return;
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
