// Readers: which nodes read what a node makes.
#pragma once

#include <span>
#include <vector>

#include "base/grouped.h"
#include "onnx/model.h"

namespace thence::diff {

class Readers {
 public:
  explicit Readers(const onnx::Model& model);

  std::span<const onnx::NodeId> of(onnx::NodeId node) const { return readers_.of(node); }
  /// Whether something that a node makes leaves its graph.
  bool leaves(onnx::NodeId node) const { return leaves_[node]; }

 private:
  base::Grouped<onnx::NodeId> readers_;
  std::vector<bool> leaves_;
};

}  // namespace thence::diff
