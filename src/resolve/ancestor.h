// What the ancestor of a derived model decided besides the modules.
#pragma once

#include "evidence/ancestor.h"
#include "resolve/attribution.h"

namespace thence::resolve {

/// Sets the owner of the weight, limits the confidence to the ancestor's, and gives the reason where the
/// ancestor names no module.
void apply_ancestor_answers(const evidence::AncestorAnswers& ancestor, Resolution& resolution);

}  // namespace thence::resolve
