// A node's fingerprint: what it does and what it is wired to, but not its metadata. A tag whose fingerprint
// no longer fits was written for another node, or before an edit.
#pragma once

#include <string>

#include "onnx/model.h"

namespace thence::hierarchy {

/// 16 hexadecimal digits over op type, domain, overload, names of inputs and outputs, and attributes (not
/// their tensors' data).
std::string fingerprint(const onnx::Model& model, onnx::NodeId node);

}  // namespace thence::hierarchy
