// Limits: a few bytes of a file can require many bytes of memory. The survey gives the memory that reading
// requires. A file that requires more than is plausible for its size is refused before any allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "wire/survey.h"

namespace thence::onnx {

/// Nodes of a file, and initializers: an index in Producer has 30 bits.
// errors.md: nodes; initializers
inline constexpr std::uint64_t max_nodes = std::uint64_t{1} << 30;

/// Memory for the view, in bytes: some for any file, twice the size of the file without weights, and more per
/// node.
// errors.md: memory for nodes, values and names
inline constexpr std::uint64_t min_memory_bytes = std::uint64_t{48} << 20, memory_per_node = 96;

/// Dimensions of a tensor. No framework has more than 64.
inline constexpr std::size_t max_dims = 256;

/// The label of a graph, and the names in it, in bytes. Every row of a node contains the label.
inline constexpr std::size_t max_label_name_bytes = 200;
// errors.md: label of a graph
inline constexpr std::size_t max_label_bytes = 512;

/// Number of elements of each kind in a file.
struct Counts {
  Counts(std::uint64_t file_size, const wire::Survey& survey);

  std::uint64_t size, structure_bytes;  // bytes of the file: in total, and without weight data
  std::uint64_t nodes, inputs, outputs, named_outputs;
  std::uint64_t graph_inputs, graph_outputs;  // including those of functions
  std::uint64_t graph_pieces, bodies, functions;
  std::uint64_t initializers, opsets;

  /// Bytes of memory that the view may use, and the bytes that it needs for everything except names.
  std::uint64_t memory_limit() const;
  std::uint64_t memory_needed() const;
  /// Number of distinct names that fit into the remaining memory.
  std::uint64_t max_names() const;
};

/// Returns an error that names the exceeded limit, if there is one.
std::optional<Error> check_limits(const std::string& file, const Counts& counts);
Error too_many_names(const std::string& file, const Counts& counts);

}  // namespace thence::onnx
