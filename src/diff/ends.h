// Ends: differences between the inputs and outputs of two models, and the outputs of their functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "diff/kinds.h"
#include "diff/wiring.h"

namespace thence::diff {

/// Calls `report` with the kind of each difference, the name of the input or output, and what differs.
using ReportEnd = std::function<void(Kind, std::string_view name, const std::string& detail)>;
void compare_ends(Side& a, Side& b, const Wiring& wiring, const ReportEnd& report);

}  // namespace thence::diff
