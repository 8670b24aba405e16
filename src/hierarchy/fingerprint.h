// The fingerprint of a node: its operation and connections, without its metadata. If the fingerprint in a tag
// differs, the tag was written for another node or before an edit.
#pragma once

#include <array>
#include <string_view>

#include "onnx/model.h"

namespace thence::hierarchy {

/// 16 hexadecimal digits: a hash of op type, domain, overload, names of inputs and outputs, and attributes
/// without tensor data.
class Fingerprint {
 public:
  Fingerprint(const onnx::Model& model, onnx::NodeId node);
  /// From the bytes of a node that is not yet in a model.
  explicit Fingerprint(std::string_view node);
  std::string_view text() const { return {digits_.data(), digits_.size()}; }

 private:
  std::array<char, 16> digits_;
};

}  // namespace thence::hierarchy
