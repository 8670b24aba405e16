// Checks that a capture was made from the model in a file.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "capture/capture.h"
#include "onnx/model.h"

namespace thence::hierarchy {

/// Returns an error if the capture is clearly of another model: `model` names many parameters, and the
/// capture has none of them.
std::optional<Error> check_same_model(const capture::Capture& capture, const onnx::Model& model,
                                      const std::string& label);

/// The same for a saved model, which must also have the shapes of the parameters that the file names: many
/// models have the same names. The error has the number of weights that match.
std::optional<Error> check_same_checkpoint(const capture::Capture& checkpoint, const onnx::Model& model,
                                           const std::string& label);

}  // namespace thence::hierarchy
