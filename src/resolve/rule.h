// The rule of decide() by which a node's module won over what else its evidence speaks of, in words.
#pragma once

#include <span>
#include <string_view>

#include "evidence/source.h"
#include "resolve/attribution.h"

namespace thence::resolve {

/// Empty where nothing was rejected, or the node's wiring decided. `all` is what evidence_of() gives.
std::string_view rule_of(std::span<const evidence::Evidence> all, const Attribution& answer);

}  // namespace thence::resolve
