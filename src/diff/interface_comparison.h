// InterfaceComparison: differences between the inputs and outputs of two models, and the outputs of their
// functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "diff/diff_kind.h"
#include "diff/input_comparison.h"

namespace thence::diff {

/// Calls `report` with the kind of each difference, the name of the input or output, and what differs.
using ReportInterface = std::function<void(DiffKind, std::string_view name, const std::string& detail)>;
void compare_interfaces(Side& a, Side& b, const InputComparison& inputs, const ReportInterface& report);

}  // namespace thence::diff
