// Opens a model together with the one that it was made from.
#pragma once

#include <string>

#include "cli/command.h"

namespace thence::cli {

/// The maps of a model and of its ancestor.
struct DerivedMap {
  OpenedMap map;
  const semantics::Map* ancestor = nullptr;  // null without one
};

/// Opens `model`. Its answers are carried over from the first of `ancestors`, each of which was made from the
/// one before. The options of the flags are resolved.
DerivedMap open_derived(const ModelFlags& flags, const std::string& model,
                        const std::vector<std::string>& ancestors);

}  // namespace thence::cli
