// Nodes put in the order of the module tree, for formats that nest.
#pragma once

#include <span>
#include <vector>

#include "semantics/map.h"

namespace thence::output {

class NodesByModule {
 public:
  explicit NodesByModule(const semantics::Map& map);

  /// The nodes that a module ran itself, in file order.
  std::span<const onnx::NodeId> of(modules::ModuleId module) const;
  /// Those that are nobody's.
  std::span<const onnx::NodeId> unknown() const;

 private:
  std::vector<std::uint32_t> first_;  // in nodes_, by module; the last is where the unknown ones begin
  std::vector<onnx::NodeId> nodes_;
};

/// The root's name where a tree is drawn: its class or, where that is unknown, "(root)".
std::string_view root_label(const semantics::Map& map);

}  // namespace thence::output
