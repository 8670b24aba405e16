// dynamo_metadata: PyTorch's dynamo exporter writes the stack of running modules into each node's properties.
#include "dataflow/operator_traits.h"
#include "evidence/source.h"

namespace thence::evidence {
namespace {

// Views at the start of a module, of a value that another module produced. PyTorch replays a view of a tensor
// that is written to later, where it is read; then it has the reader's stack.
std::vector<bool> find_leading_views(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy) {
  std::vector<bool> is_leading_view(model.node_count(), false);
  for (NodeId id = 0; id < model.node_count(); ++id) {
    const auto inputs = model.node(id).inputs();
    if (inputs.empty() || inputs.front() == onnx::none) continue;
    if (!dataflow::has_trait(model.node(id), dataflow::Trait::torch_view)) continue;
    const onnx::Producer producer = model.producer(inputs.front());
    is_leading_view[id] = producer.kind == onnx::Producer::Kind::node &&
                          (is_leading_view[producer.index] ||
                           hierarchy.stack(producer.index).module != hierarchy.stack(id).module);
  }
  return is_leading_view;
}

}  // namespace

void collect_dynamo_metadata(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  if (!hierarchy.has_stacks()) return;
  const std::vector<bool> is_leading_view = find_leading_views(model, hierarchy);
  for (NodeId id = 0; id < model.node_count(); ++id) {
    const hierarchy::NodeStack& stack = hierarchy.stack(id);
    if (stack.module == modules::no_module) continue;
    // A stack that does not begin at the root (in the branches of a condition) still has the full path of its
    // module.
    const NameReading reading = stack.rewritten         ? NameReading::rewritten
                                : !stack.starts_at_root ? NameReading::uncorroborated
                                : is_leading_view[id]   ? NameReading::leading_view
                                                        : NameReading::plain;
    sink.push({.node = id,
               .module = stack.module,
               .source = Source::dynamo_metadata,
               .strength = {.reading = reading},
               .why = hierarchy.tree()[stack.module].path});
  }
}

}  // namespace thence::evidence
