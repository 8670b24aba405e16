// Wiring: who reads what a node writes, and whether a node carries data, shapes or constants.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "onnx/model.h"

namespace thence::resolve {

/// What flows through a node: parameters and constants only, shape arithmetic, or data.
enum class Flow : std::uint8_t { constant, shape, data };

class Wiring {
 public:
  explicit Wiring(const onnx::Model& model);

  /// The nodes that read a value; the node around a body reads what the body returns.
  std::span<const onnx::NodeId> readers(onnx::ValueId value) const {
    return std::span(readers_).subspan(first_[value], first_[value + 1] - first_[value]);
  }
  Flow flow(onnx::NodeId node) const { return flow_[node]; }

 private:
  void find_readers(const onnx::Model& model);
  void find_flow(const onnx::Model& model);

  std::vector<std::uint32_t> first_;
  std::vector<onnx::NodeId> readers_;
  std::vector<Flow> flow_;
};

}  // namespace thence::resolve
