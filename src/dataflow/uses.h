// Use lists: the nodes that read each value.
#pragma once

#include <span>

#include "base/grouped.h"
#include "onnx/model.h"

namespace thence::dataflow {

class Uses {
 public:
  explicit Uses(const onnx::Model& model);

  /// The nodes that read a value, in file order, once for each input. The node that holds a body reads what
  /// the body returns; those come last.
  std::span<const onnx::NodeId> of(onnx::ValueId value) const { return uses_.of(value); }

 private:
  base::Grouped<onnx::NodeId> uses_;
};

}  // namespace thence::dataflow
