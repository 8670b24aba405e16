// Glance: large weights that both models hold alike are told by some of their bytes. Only where that leaves a
// question, because one was transposed, cast, merged or changed, are weights of its size read whole.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "onnx/model.h"
#include "transfer/data_files.h"

namespace thence::transfer {

class Glance {
 public:
  Glance(const onnx::Model& ancestor, const onnx::Model& descendant);

  /// What tells a tensor from all others of its type and size; 0 when it must be read whole.
  std::uint64_t of(const onnx::TensorView& header, std::string_view elements) const;

 private:
  std::unordered_set<std::uint64_t> enough_;  // types and sizes of which a glance is enough
};

/// The elements of a tensor where they lie as bytes in one piece, in its message or in one of `files`; empty
/// when they do not.
std::string_view elements_of(const onnx::Pieces& tensor, const onnx::TensorView& header, DataFiles* files);

}  // namespace thence::transfer
