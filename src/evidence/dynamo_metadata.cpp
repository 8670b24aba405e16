// dynamo_metadata: PyTorch's dynamo exporter writes the stack of running modules into each node's properties.
#include "evidence/source.h"

namespace thence::evidence {

void collect_dynamo_metadata(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  if (!hierarchy.has_stacks()) return;
  for (NodeId id = 0; id < model.node_count(); ++id) {
    const hierarchy::NodeStack& stack = hierarchy.stack(id);
    if (stack.module == hierarchy::no_module) continue;
    // A stack that does not begin at the root (branches of a condition lose the rest) still names its module
    // in full.
    Strength strength = stack.whole ? Strength::names_one : Strength::spelled;
    if (stack.rewritten) strength = Strength::rewritten;
    sink.push({.node = id,
               .module = stack.module,
               .source = Source::dynamo_metadata,
               .strength = strength,
               .why = hierarchy.tree()[stack.module].path});
  }
}

}  // namespace thence::evidence
