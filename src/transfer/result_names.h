// The ancestor's nodes by the names of what they write, where such a name survived.
#pragma once

#include <string_view>
#include <vector>

#include "base/text_index.h"
#include "transfer/net.h"

namespace thence::transfer {

class ResultNames {
 public:
  explicit ResultNames(const Net& ancestor);
  /// The node that writes a value of this name; none when there is none, or several.
  onnx::NodeId find(std::string_view value) const;

 private:
  std::string_view name_of(onnx::NodeId node) const;

  const onnx::Model& ancestor_;
  base::TextIndex nodes_;
  std::vector<bool> several_;  // by node: bodies may use a name again, and then it tells nothing
};

}  // namespace thence::transfer
