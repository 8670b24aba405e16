// The weights of a saved program: where each lies in the archive, and which are one tensor under several
// names. Nothing of them is read here.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/zip_archive.h"

namespace thence::capture {

struct SavedTensor {
  std::string_view data;  // its elements, perhaps in another order; empty when they cannot be told
  unsigned width = 0;     // bytes of an element
  std::string memory;     // equal for names of one tensor; empty when it cannot be told
};

/// By the path of the parameter or buffer. What is missing, pickled or does not fit is left out: older
/// archives keep the weights in a form that only Python reads.
using SavedWeights = std::unordered_map<std::string, SavedTensor>;
SavedWeights read_saved_weights(const base::ZipArchive& archive, const std::string& top,
                                const std::string& program);

}  // namespace thence::capture
