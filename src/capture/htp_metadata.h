// Reads the sidecar files (`_htp_metadata.json`) of earlier tools as captures. docs/compatibility.md
// describes them.
#pragma once

#include <string>

#include "base/json.h"
#include "capture/capture.h"

namespace thence::capture {

/// Whether a JSON document is such a file: it has modules and nodes as objects, and no schema of thence.
bool is_htp_metadata(base::JsonValue file);

/// Reads only the modules and their classes. Such a file lists the modules that ran and were shown, so the
/// tree is not complete.
Result<Capture> read_htp_metadata(base::JsonValue file, const std::string& label);

}  // namespace thence::capture
