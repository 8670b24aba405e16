// Reads the section `weights`: where the data of each parameter lies in the files of a checkpoint.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "capture/capture.h"

namespace thence::capture {

/// Gives the parameters their data, which stays mapped. The section only proposes where it lies: every range
/// is checked against the headers of the files. A parameter without a complete and matching proposal has no
/// data. `checkpoint` is the folder of the files, or a file in it.
std::optional<Error> read_stored_weights(base::JsonValue section, const std::string& checkpoint,
                                         Capture& capture, Diagnostics& diagnostics);

}  // namespace thence::capture
