// parameter: a node that reads `encoder.layer.0.dense.bias` most likely belongs to `encoder.layer.0.dense`.
// This is weaker than a name, because the use of a parameter may be folded into a node of the module around
// it.
#include "evidence/source.h"
#include "evidence/thresholds.h"

namespace thence::evidence {

void collect_parameters(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  if (hierarchy.parameters().empty()) return;
  for (NodeId id = 0; id < model.node_count(); ++id) {
    ModuleId last = modules::no_module;
    std::size_t listed = 0;
    for (const onnx::ValueId input : model.node(id).inputs()) {
      const hierarchy::ParameterOwner owner = hierarchy.source_parameter(model, input).owner;
      if (owner.module == modules::no_module || owner.module == last) continue;
      if (listed++ == max_parameter_modules) break;
      last = owner.module;
      sink.push({.node = id,
                 .module = owner.module,
                 .source = Source::parameter,
                 .strength = {.statement = Statement::parameter},
                 .why = owner.parameter});
    }
  }
}

}  // namespace thence::evidence
