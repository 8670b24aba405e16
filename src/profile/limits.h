// Limits of this room: what a malicious or very long profile may cost.
#pragma once

#include <cstddef>

namespace thence::profile {

/// Distinct kernels that are kept apart, besides two for each node of the model; the others share one row. A
/// real profile has about one kernel per node.
// errors.md: distinct kernels of a profile
inline constexpr std::size_t max_extra_kernels = 65'536;
/// Kernels of one run that may still turn out to lie inside a later one. onnxruntime records at most a
/// million events per session.
// errors.md: kernels within one run of a profile
inline constexpr std::size_t max_open_kernels = std::size_t{1} << 19;
/// Threads of one profile. Those of further threads are read as if they were of one.
inline constexpr std::size_t max_threads = 256;
/// A longer time is not one of a kernel: 31 years in microseconds.
inline constexpr double max_microseconds = 1e15;
/// Whether a profile may have this time. Not a number is none, although "nan" is parsed as one.
constexpr bool is_possible_time(double microseconds) {
  return microseconds >= 0 && microseconds <= max_microseconds;
}
/// Files of formats that are read as a whole.
// errors.md: a profile that is not a list of events; an event
inline constexpr std::size_t max_document_bytes = std::size_t{256} << 20;
/// Nodes that one kernel names.
inline constexpr std::size_t max_members = 256;

}  // namespace thence::profile
