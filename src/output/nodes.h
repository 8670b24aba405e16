// Nodes: the nodes to print, either all nodes of a model or a selection.
#pragma once

#include <cstddef>
#include <span>

#include "onnx/model.h"

namespace thence::output {

class Nodes {
 public:
  explicit Nodes(const onnx::Model& model) : count_(model.node_count()) {}
  /// `chosen` is in row order and must outlive this object.
  explicit Nodes(std::span<const onnx::NodeId> selected)
      : selected_(selected.data()), count_(selected.size()), is_selection_(true) {}

  std::size_t size() const { return count_; }
  onnx::NodeId operator[](std::size_t i) const {
    return is_selection_ ? selected_[i] : static_cast<onnx::NodeId>(i);
  }

 private:
  const onnx::NodeId* selected_ = nullptr;
  std::size_t count_;
  bool is_selection_ = false;
};

}  // namespace thence::output
