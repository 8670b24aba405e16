// In dynamo's files, a node names the operation of torch.export that it came from. In bodies, where it does
// not name the module, the nodes of one operation still belong to one module: a constant that two modules
// read was made by the one whose operation it names.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "functions/origin.h"
#include "hierarchy/exporter_stack.h"
#include "resolve/propagate.h"

namespace thence::resolve {
namespace {

// The name of the operation, "%mean" for "%mean : [num_users=1] = ...", with the graph and the calls that it
// is in. Empty if the node has none.
std::string operation_of(const onnx::Node& node) {
  std::string_view operation = hierarchy::exporter_operation(node);
  if (operation.empty()) return {};
  operation = operation.substr(0, operation.find(' '));
  std::string_view origin = functions::origin_of(node);
  origin = origin.substr(0, origin.rfind('.'));
  return std::to_string(node.graph()) + ' ' + std::string(origin) + ' ' + std::string(operation);
}

struct KnownModule {
  ModuleId module = no_module;
  float confidence = 1;
  bool are_several = false;

  void add(const Attribution& node) {
    are_several |= module != no_module && module != node.module;
    module = node.module;
    confidence = std::min(confidence, node.confidence);
  }
};

}  // namespace

void attribute_operations(const onnx::Model& model, Resolution& resolution) {
  std::unordered_map<std::string, KnownModule> operations;  // those that have unknown nodes
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    if (!resolution.nodes[id].known())
      if (std::string operation = operation_of(model.node(id)); !operation.empty())
        operations.try_emplace(std::move(operation));
  if (operations.empty()) return;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    if (resolution.nodes[id].known())
      if (const auto found = operations.find(operation_of(model.node(id))); found != operations.end())
        found->second.add(resolution.nodes[id]);
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    if (resolution.nodes[id].known()) continue;
    const auto found = operations.find(operation_of(model.node(id)));
    if (found == operations.end() || found->second.module == no_module || found->second.are_several) continue;
    const KnownModule& by = found->second;
    Attribution node;
    node.module = by.module;
    node.is_inferred = true;
    node.rule = DecisionRule::same_operation;
    node.source = evidence::Source::neighbours;
    node.reason = Reason::none;
    node.has_more_than_parameters = true;
    node.set_confidence(ConfidenceTable::basis(Inference::same_operation, by.confidence), by.confidence);
    resolution.nodes[id] = node;
  }
}

}  // namespace thence::resolve
