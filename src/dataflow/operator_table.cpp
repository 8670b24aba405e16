#include "dataflow/operator_table.h"

#include "dataflow/primitive_ops.h"

namespace thence::dataflow {

std::uint32_t OperatorIds::id(std::string_view name) {
  if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(ids_.size());
  ids_.emplace(name, id);
  return id;
}

OperatorTable::OperatorTable(const onnx::Model& model, OperatorIds& ids) : of_node_(model.node_count()) {
  std::unordered_map<std::string_view, std::uint32_t> by_name;
  for (onnx::NodeId node = 0; node < of_node_.size(); ++node) {
    const std::string_view name = model.node(node).op_type();
    const auto [entry, is_new] = by_name.try_emplace(name, static_cast<std::uint32_t>(operators_.size()));
    if (is_new)
      operators_.push_back(
          {.name = name, .traits = traits_of(name), .id = ids.id(name), .is_primitive = is_primitive(name)});
    of_node_[node] = entry->second;
  }
}

}  // namespace thence::dataflow
