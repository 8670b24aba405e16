// A node's fingerprint: what it does and what it is wired to, but not its metadata. A tag whose fingerprint
// no longer fits was written for another node, or before an edit.
#pragma once

#include <array>
#include <string_view>

#include "onnx/model.h"

namespace thence::hierarchy {

/// 16 hexadecimal digits over op type, domain, overload, names of inputs and outputs, and attributes (not
/// their tensors' data).
class Fingerprint {
 public:
  Fingerprint(const onnx::Model& model, onnx::NodeId node);
  /// Of a node that stands in no model yet: its bytes.
  explicit Fingerprint(std::string_view node);
  std::string_view text() const { return {digits_.data(), digits_.size()}; }

 private:
  std::array<char, 16> digits_;
};

}  // namespace thence::hierarchy
