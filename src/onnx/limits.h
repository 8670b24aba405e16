// Limits: a few bytes of a file can require many bytes of memory. The survey gives the memory that reading
// requires. A file that requires more than is plausible for its size is refused before any allocation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "wire/survey.h"

namespace thence::onnx {

/// Number of elements of each kind in a file.
struct Counts {
  Counts(std::uint64_t file_size, const wire::Survey& survey);

  std::uint64_t size, described;  // bytes of the file: in total, and without weight data
  std::uint64_t nodes, inputs, outputs, named_outputs;
  std::uint64_t graph_inputs, graph_outputs;  // including those of functions
  std::uint64_t graph_pieces, bodies, functions;
  std::uint64_t initializers, opsets;

  /// Bytes of memory that the view may use, and the bytes that it needs for everything except names.
  std::uint64_t granted() const;
  std::uint64_t needed() const;
  /// Number of distinct names that fit into the remaining memory.
  std::uint64_t most_names() const;
};

/// Returns an error that names the exceeded limit, if there is one.
std::optional<Error> check_limits(const std::string& file, const Counts& counts);
Error too_many_names(const std::string& file, const Counts& counts);

}  // namespace thence::onnx
