// A capture of a model and a file of the same model inside a wrapper (`module.`, `_orig_mod.`, a user's own),
// or the other way round: the same modules, their paths longer by a prefix on one side.
#pragma once

#include <string>

#include "capture/capture.h"
#include "onnx/model.h"

namespace thence::hierarchy {

using capture::Capture;

struct Wrapping {
  std::string prefix;           // "module"; empty: paths are the same on both sides
  bool capture_has_it = false;  // the capture is of the wrapper, the file of what is inside
};

/// What the names of the file's parameters say; no prefix unless it explains more of them than none does.
Wrapping find_wrapping(const Capture& capture, const onnx::Model& model);

/// The capture as if it had been made of the model in the file.
Capture rewrapped(Capture capture, const Wrapping& wrapping);

}  // namespace thence::hierarchy
