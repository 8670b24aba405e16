// Safety caps of reading captures: larger values occur only in malicious files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thence::capture {

/// A capture file, and the JSON of a saved program. The parser needs several times as much memory.
// errors.md: a capture; the program in an archive
inline constexpr std::size_t max_capture_bytes = std::size_t{256} << 20;

/// The header of a file of weights. It is the limit of the format itself; 100,000 tensors need 12 MB.
// errors.md: header of a safetensors file
inline constexpr std::size_t max_weights_header_bytes = 100'000'000;
/// The part of a tensor's key that an error shows.
inline constexpr std::size_t max_shown_key_bytes = 200;
/// Numbers of a packed weight that count bits of a word.
inline constexpr std::uint64_t max_packed_bits = 32;
/// Files of weights of one checkpoint. The largest ones in use have a few hundred.
// errors.md: files of weights of a checkpoint
inline constexpr std::size_t max_weight_files = 10'000;

/// The ids of recorded values are dense. An id must be below twice the number of values plus `spare_values`,
/// and below `max_values`, because the largest id determines the memory.
inline constexpr std::uint64_t spare_values = 16, max_values = std::uint64_t{1} << 26;

/// Nesting depth of lists in the arguments of an operation.
inline constexpr int max_argument_depth = 16;

/// How often a body of an FX graph is read. The condition of a loop runs before it and inside it.
inline constexpr int most_reads_of_body = 2;

/// Memory for the modules of a saved program, in bytes: a minimum, plus an allowance per byte of its graph.
// errors.md: modules of a saved program
inline constexpr std::size_t min_module_memory_bytes = std::size_t{16} << 20;
inline constexpr std::size_t module_memory_per_byte = 8;

}  // namespace thence::capture
