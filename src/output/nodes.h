// Nodes: which ones to print, all of a model or those that were chosen.
#pragma once

#include <cstddef>
#include <span>

#include "onnx/model.h"

namespace thence::output {

class Nodes {
 public:
  explicit Nodes(const onnx::Model& model) : count_(model.node_count()) {}
  /// In the order of rows; they outlive this.
  explicit Nodes(std::span<const onnx::NodeId> chosen)
      : chosen_(chosen.data()), count_(chosen.size()), some_(true) {}

  std::size_t size() const { return count_; }
  onnx::NodeId operator[](std::size_t i) const { return some_ ? chosen_[i] : static_cast<onnx::NodeId>(i); }

 private:
  const onnx::NodeId* chosen_ = nullptr;
  std::size_t count_;
  bool some_ = false;
};

}  // namespace thence::output
