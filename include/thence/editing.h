// Options and results of functions that write a model.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace thence {

struct TagOptions {
  bool with_namespace = false;      // also write the key `namespace`, as PyTorch does, for nodes without one
  bool strip_stack_traces = false;  // remove stack traces of the exporter permanently
};

/// A tagged model that was written.
struct Tagged {
  std::size_t nodes = 0, tagged = 0;
};

struct ExtractOptions {
  std::optional<std::size_t> call = {};  // the call, for a module that runs several times
  bool keep_names = false;  // inputs and outputs keep their names; otherwise they are named after the module
};

/// A part of a model that was written.
struct Extracted {
  std::size_t nodes = 0, initializers = 0;
  std::vector<std::string> inputs, outputs;
  /// Inputs and outputs whose type the file does not give: runtimes may refuse the model. `thence extract`
  /// infers them with Python's onnx.
  std::vector<std::string> untyped;
};

}  // namespace thence
