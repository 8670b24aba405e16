// Limits of carrying answers from an ancestor.
#pragma once

#include <cstddef>

namespace thence::pipeline {

/// Modules of one node. A fused node belongs to a few; a malicious file could list all modules for each node.
inline constexpr std::size_t max_modules_per_answer = 64;

}  // namespace thence::pipeline
