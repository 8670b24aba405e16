// Likeness: weights that were quantised or rescaled, told by how their elements go together.
#pragma once

#include "transfer/net.h"

namespace thence::transfer {

/// Gives constants of the descendant whose content the ancestor does not have the content of the one weight
/// of the ancestor that they are a changed form of, where there is just one.
void recognise_weights(const Net& ancestor, Net& descendant);

}  // namespace thence::transfer
