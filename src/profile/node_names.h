// NodeNames: finds the nodes of a model by the names that a runtime prints.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "onnx/model.h"

namespace thence::profile {

class NodeNames {
 public:
  explicit NodeNames(const onnx::Model& model);

  /// The nodes with exactly this name.
  std::span<const onnx::NodeId> named(std::string_view name) const;
  /// The same for the name from which a runtime derived this one: it adds suffixes to the name of a node that
  /// it rewrites, and names new operations below it.
  std::span<const onnx::NodeId> derived(std::string_view name) const;
  /// The nodes without a name that have this position in the main graph or in a body.
  std::vector<onnx::NodeId> unnamed(std::uint32_t index) const;

 private:
  const onnx::Model& model_;
  std::vector<onnx::NodeId> by_name_;  // sorted by name; nodes with a name only
};

}  // namespace thence::profile
