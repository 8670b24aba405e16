// Limits of writing models.
#pragma once

#include <cstddef>

namespace thence::edit {

/// Modules whose encoded entries are kept. Nodes of one module are near each other.
inline constexpr std::size_t max_cached_modules = 4096;

/// With fewer nodes per thread, threads do not pay off.
inline constexpr std::size_t min_nodes_per_thread = 4096;

/// Bytes of the entries of a typical node, to reserve memory.
inline constexpr std::size_t typical_entry_bytes = 256;

}  // namespace thence::edit
