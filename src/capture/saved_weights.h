// The weights of a saved program: the location of each in the archive, and which names share a tensor. The
// data itself is not read here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/zip_archive.h"

namespace thence::capture {

struct SavedTensor {
  std::string_view data;  // its elements, possibly in another order; empty if unknown
  unsigned width = 0;     // bytes per element
  std::string dtype;      // PyTorch's name of the type; empty if unknown
  std::optional<std::vector<std::int64_t>> dims;
  std::string storage_key;  // equal for names of the same tensor; empty if unknown
};

/// By the path of the parameter or buffer. Missing, pickled and malformed weights are skipped: older archives
/// store weights in a form that only Python reads.
using SavedWeights = std::unordered_map<std::string, SavedTensor>;
SavedWeights read_saved_weights(const base::ZipArchive& archive, const std::string& top,
                                const std::string& program);

}  // namespace thence::capture
