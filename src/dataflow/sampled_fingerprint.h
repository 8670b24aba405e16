// SampledFingerprint: recognises large weights that both models hold unchanged by some of their bytes. If a
// weight was transposed, cast, merged or changed, all weights of its type and size are read whole.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "dataflow/data_files.h"
#include "onnx/model.h"

namespace thence::dataflow {

class SampledFingerprint {
 public:
  SampledFingerprint(const onnx::Model& ancestor, const onnx::Model& descendant);

  /// A fingerprint that is unique among the tensors of its type and size; 0 if the tensor must be read whole.
  std::uint64_t of(const onnx::TensorView& header, std::string_view elements) const;

 private:
  std::unordered_set<std::uint64_t> sufficient_;  // keys of types and sizes for which samples are enough
};

/// The elements of a tensor that are stored as bytes in one piece, in its message or in one of `files`; empty
/// for other tensors.
std::string_view elements_of(const onnx::Pieces& tensor, const onnx::TensorView& header, DataFiles* files);

}  // namespace thence::dataflow
