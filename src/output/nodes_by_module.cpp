#include "output/nodes_by_module.h"

namespace thence::output {

NodesByModule::NodesByModule(const semantics::Map& map)
    : first_(map.tree().size() + 2), nodes_(map.model().node_count()) {
  const auto unknown = static_cast<modules::ModuleId>(map.tree().size());
  const auto owner = [&](onnx::NodeId id) {
    return map.answer(id).known() ? map.answer(id).module : unknown;
  };
  for (onnx::NodeId id = 0; id < nodes_.size(); ++id) ++first_[owner(id) + 1];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  std::vector<std::uint32_t> next = first_;
  for (onnx::NodeId id = 0; id < nodes_.size(); ++id) nodes_[next[owner(id)]++] = id;
}

std::span<const onnx::NodeId> NodesByModule::of(modules::ModuleId module) const {
  return std::span(nodes_).subspan(first_[module], first_[module + 1] - first_[module]);
}

std::span<const onnx::NodeId> NodesByModule::unknown() const {
  return std::span(nodes_).subspan(first_[first_.size() - 2]);
}

std::string_view root_label(const semantics::Map& map) {
  const std::string_view name = modules::short_class(map.tree()[modules::root].class_name);
  return name.empty() ? "(root)" : name;
}

}  // namespace thence::output
