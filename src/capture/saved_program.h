// A program that `torch.export.save` wrote, a .pt2 archive: read as the capture that it amounts to.
#pragma once

#include <string>
#include <string_view>

#include "capture/capture.h"

namespace thence::capture {

/// The module tree, the parameters and the section fx_graph of the program in an archive. The parameters'
/// data stays where it is: the bytes must outlive the capture.
Result<Capture> read_saved_program(std::string_view bytes, const std::string& label,
                                   Diagnostics& diagnostics);

}  // namespace thence::capture
