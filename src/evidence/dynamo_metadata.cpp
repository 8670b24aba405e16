// dynamo_metadata: PyTorch's dynamo exporter, and builders of graphs, write the stack of running modules into
// each node's properties.
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

NameReading reading_of_stack(const hierarchy::NodeStack& stack, const modules::Module& module,
                             bool is_leading_view) {
  if (stack.is_outer && !module.children.empty()) return NameReading::outer_module;
  if (stack.rewritten) return NameReading::rewritten;
  // A stack that does not begin at the root (in the branches of a condition) still has the full path of its
  // module.
  if (!stack.starts_at_root) return NameReading::uncorroborated;
  return is_leading_view && !stack.is_builders ? NameReading::leading_view : NameReading::plain;
}

// A path of classes is less exact than the scope in a name.
bool has_better_name(const hierarchy::Hierarchy& hierarchy, NodeId id) {
  const hierarchy::ScopeIndex& scopes = hierarchy.scopes();
  return hierarchy.stack(id).is_outer && (scopes.scope_in_name(id) != hierarchy::no_scope ||
                                          scopes.scope_in_outputs(id) != hierarchy::no_scope);
}

}  // namespace

void collect_dynamo_metadata(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  if (!hierarchy.has_stacks()) return;
  const std::vector<bool> is_leading_view = find_leading_views(model, hierarchy);
  for (NodeId id = 0; id < model.node_count(); ++id) {
    const hierarchy::NodeStack& stack = hierarchy.stack(id);
    if (stack.module == modules::no_module || has_better_name(hierarchy, id)) continue;
    const NameReading reading = reading_of_stack(stack, hierarchy.tree()[stack.module], is_leading_view[id]);
    sink.push({.node = id,
               .module = stack.module,
               .source = Source::dynamo_metadata,
               .strength = {.reading = reading},
               .why = hierarchy.tree()[stack.module].path});
  }
}

}  // namespace thence::evidence
