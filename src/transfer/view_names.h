// The ancestor's views by the names of what they write, where such a name survived.
#pragma once

#include <string_view>
#include <unordered_map>

#include "transfer/net.h"

namespace thence::transfer {

class ViewNames {
 public:
  explicit ViewNames(const Net& ancestor);
  /// The view that writes a value of this name; none when there is none.
  onnx::NodeId find(std::string_view value) const;

 private:
  std::unordered_map<std::string_view, onnx::NodeId> views_;
};

}  // namespace thence::transfer
