// Limits: a few bytes of file can ask for many bytes of memory. What reading will take is known from the
// survey; a file that asks for more than it can honestly need is refused before anything is set aside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "wire/survey.h"

namespace thence::onnx {

/// How many of each thing a file holds.
struct Counts {
  Counts(std::uint64_t file_size, const wire::Survey& survey);

  std::uint64_t size, described;  // bytes of the file: all, and without the weights' data
  std::uint64_t nodes, inputs, outputs, named_outputs;
  std::uint64_t graph_inputs, graph_outputs;  // functions' too
  std::uint64_t graph_pieces, bodies, functions;
  std::uint64_t initializers, opsets;

  /// Bytes of memory that may go to the view, and how many of them all but names will take.
  std::uint64_t granted() const;
  std::uint64_t needed() const;
  /// How many distinct names the rest is good for.
  std::uint64_t most_names() const;
};

/// The error that says which limit a file is past, if any.
std::optional<Error> check_limits(const std::string& file, const Counts& counts);
Error too_many_names(const std::string& file, const Counts& counts);

}  // namespace thence::onnx
