// The weights that a file stores, in whichever form its nodes read them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "dataflow/data_files.h"
#include "dataflow/weight_elements.h"
#include "onnx/model.h"

namespace thence::reference {

struct StoredWeight {
  std::uint32_t initializer = 0;
  dataflow::WeightElements elements;
};

/// Opens the data of the initializers, which it keeps open.
class StoredWeights {
 public:
  explicit StoredWeights(const onnx::Model& model);
  const std::vector<StoredWeight>& all() const { return weights_; }

 private:
  const dataflow::Constant& constant(std::uint32_t initializer);
  void read_packed(const onnx::Node& node);
  void read_plain(std::uint32_t initializer);

  const onnx::Model& model_;
  dataflow::DataFiles files_;
  std::vector<std::unique_ptr<dataflow::Constant>> constants_;  // by initializer, on demand
  std::vector<bool> is_read_;                                   // as a weight, a scale or a zero point
  std::vector<StoredWeight> weights_;
};

}  // namespace thence::reference
