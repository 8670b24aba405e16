// Consumers: the nodes that read each initializer, directly or through nodes that only change its form.
#pragma once

#include <span>

#include "base/grouped.h"
#include "onnx/model.h"

namespace thence::weights {

struct Consumer {
  onnx::NodeId node = 0;
  std::uint32_t input = 0;
};

class Consumers {
 public:
  explicit Consumers(const onnx::Model& model);
  std::span<const Consumer> of(std::size_t initializer) const { return by_initializer_.of(initializer); }

 private:
  base::Grouped<Consumer> by_initializer_;
};

}  // namespace thence::weights
