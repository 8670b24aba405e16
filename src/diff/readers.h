// Readers: which nodes read what a node makes.
#pragma once

#include <span>
#include <vector>

#include "onnx/model.h"

namespace thence::diff {

class Readers {
 public:
  explicit Readers(const onnx::Model& model);

  std::span<const onnx::NodeId> of(onnx::NodeId node) const {
    return std::span(readers_).subspan(first_[node], first_[node + 1] - first_[node]);
  }
  /// Whether something that a node makes leaves its graph.
  bool leaves(onnx::NodeId node) const { return leaves_[node]; }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<onnx::NodeId> readers_;
  std::vector<bool> leaves_;
};

}  // namespace thence::diff
