// A capture of a model and a file of the same model inside a wrapper (`module.`, `_orig_mod.`, a user's
// class), or the reverse: the modules are the same, but the paths of one side have a prefix.
#pragma once

#include <string>

#include "capture/capture.h"
#include "onnx/model.h"

namespace thence::hierarchy {

using capture::Capture;

struct Wrapping {
  std::string prefix;          // "module"; empty if paths are the same on both sides
  bool is_in_capture = false;  // the capture is of the wrapper, the file of the wrapped model
};

/// Finds the prefix from the parameter names of the file. Empty unless a prefix explains more names than no
/// prefix. In a graph that another tool built the paths are the tool's own: content will tell.
Wrapping find_wrapping(const Capture& capture, const onnx::Model& model);

/// Returns the capture as if it had been made from the model in the file.
Capture rebase_capture(Capture capture, const Wrapping& wrapping);

}  // namespace thence::hierarchy
