// dynamo_metadata: PyTorch's dynamo exporter writes the stack of running modules into each node's properties.
#include "dataflow/operator_traits.h"
#include "evidence/source.h"

namespace thence::evidence {
namespace {

// Views at the start of a module, of a value that another module produced. PyTorch replays a view of a tensor
// that is written to later, where it is read; then it has the reader's stack.
std::vector<bool> leading_views(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy) {
  std::vector<bool> first(model.node_count(), false);
  for (NodeId id = 0; id < model.node_count(); ++id) {
    const auto inputs = model.node(id).inputs();
    if (inputs.empty() || inputs.front() == onnx::none) continue;
    if (!dataflow::has_trait(model.node(id), dataflow::Trait::torch_view)) continue;
    const onnx::Producer maker = model.producer(inputs.front());
    first[id] = maker.kind == onnx::Producer::Kind::node &&
                (first[maker.index] || hierarchy.stack(maker.index).module != hierarchy.stack(id).module);
  }
  return first;
}

}  // namespace

void collect_dynamo_metadata(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  if (!hierarchy.has_stacks()) return;
  const std::vector<bool> first = leading_views(model, hierarchy);
  for (NodeId id = 0; id < model.node_count(); ++id) {
    const hierarchy::NodeStack& stack = hierarchy.stack(id);
    if (stack.module == modules::no_module) continue;
    // A stack that does not begin at the root (in the branches of a condition) still has the full path of its
    // module.
    const Reading reading = stack.rewritten ? Reading::rewritten
                            : !stack.whole  ? Reading::uncorroborated
                            : first[id]     ? Reading::leading_view
                                            : Reading::plain;
    sink.push({.node = id,
               .module = stack.module,
               .source = Source::dynamo_metadata,
               .strength = {.reading = reading},
               .why = hierarchy.tree()[stack.module].path});
  }
}

}  // namespace thence::evidence
