// The sidecar files (`_htp_metadata.json`) of earlier tools of this kind, read as the captures that they
// amount to. docs/compatibility.md describes them.
#pragma once

#include <string>

#include "base/json.h"
#include "capture/capture.h"

namespace thence::capture {

/// Whether a JSON document is such a file: modules and nodes as objects, and no schema of ours.
bool is_htp_metadata(base::JsonValue file);

/// The modules, their classes and nothing else. Such a file lists the modules that ran and were shown, so the
/// tree is not complete.
Result<Capture> read_htp_metadata(base::JsonValue file, const std::string& label);

}  // namespace thence::capture
