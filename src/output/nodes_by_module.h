// Nodes in the order of the module tree, for nested formats.
#pragma once

#include <span>
#include <vector>

#include "semantics/map.h"

namespace thence::output {

class NodesByModule {
 public:
  explicit NodesByModule(const semantics::Map& map);

  /// The nodes that a module ran directly, in file order.
  std::span<const onnx::NodeId> of(modules::ModuleId module) const;
  /// The nodes without a module.
  std::span<const onnx::NodeId> unknown() const;

 private:
  // Offsets in nodes_, by module; the last is the start of the unknown nodes.
  std::vector<std::uint32_t> first_;
  std::vector<onnx::NodeId> nodes_;
};

/// The label of the root in a drawn tree: its class, or "(root)" if that is unknown.
std::string_view root_label(const semantics::Map& map);

}  // namespace thence::output
