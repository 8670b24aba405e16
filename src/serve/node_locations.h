// NodesByLocation: the nodes that other files of this program name as graph#index.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "onnx/model.h"

namespace thence::serve {

class NodesByLocation {
 public:
  explicit NodesByLocation(const onnx::Model& model);

  /// onnx::none if there is no such node.
  onnx::NodeId find(std::string_view location) const;

 private:
  const onnx::Model& model_;
  std::unordered_map<std::string, onnx::GraphId> graphs_;  // by label
};

}  // namespace thence::serve
