// Reads a program saved by `torch.export.save`, a .pt2 archive, as a capture.
#pragma once

#include <string>
#include <string_view>

#include "capture/capture.h"

namespace thence::capture {

/// Reads the module tree, the parameters and the section fx_graph of the program. The data of parameters is
/// not copied, so the bytes must outlive the capture.
Result<Capture> read_saved_program(std::string_view bytes, const std::string& label,
                                   Diagnostics& diagnostics);

}  // namespace thence::capture
