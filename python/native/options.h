// How Python says in which way a model is to be mapped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "semantics/map.h"

namespace thence::python {

/// Fails when there is no such granularity; without one, and without a rules file, modules are the model's
/// own.
semantics::MapOptions make_options(const std::string& capture, const std::string& strategy,
                                   const std::optional<std::vector<std::string>>& exceptions,
                                   const std::string& rules_file = "", const std::string& granularity = "");

}  // namespace thence::python
