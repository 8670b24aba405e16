// function: some exporters keep modules as functions. The node that calls one reads all parameters of its
// module, so the module is the nearest common module of their owners.
#include "dataflow/bodies.h"
#include "evidence/source.h"

namespace thence::evidence {

void collect_functions(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  const dataflow::Functions functions(model);
  if (functions.empty()) return;
  const modules::ModuleTree& tree = hierarchy.tree();
  for (NodeId id = 0; id < model.node_count(); ++id) {
    const onnx::Node node = model.node(id);
    if (!functions.has_overload_of(node)) continue;
    ModuleId module = modules::no_module;
    std::string_view why;
    for (const onnx::ValueId input : node.inputs()) {
      if (input == onnx::none) continue;
      const onnx::Producer producer = model.producer(input);
      if (producer.kind != onnx::Producer::Kind::initializer) continue;
      const hierarchy::ParameterOwner& owner = hierarchy.parameters()[producer.index];
      if (owner.module == modules::no_module) continue;
      module = module == modules::no_module ? owner.module : tree.nearest_common_module(module, owner.module);
      why = owner.parameter;
    }
    if (module == modules::no_module || module == modules::root) continue;
    // If classes are known, the function's name is the class of the module or of one around it.
    for (ModuleId at = module; at != modules::root; at = tree[at].parent)
      if (modules::short_class(tree[at].class_name) == node.op_type()) {
        module = at;
        break;
      }
    sink.push({.node = id, .module = module, .source = Source::function, .why = why});
  }
}

}  // namespace thence::evidence
