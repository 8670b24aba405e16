// A module's role: what kind of part it is, read from its own and its surroundings' names by the lexicon.
#pragma once

#include <string_view>

#include "hierarchy/module_tree.h"

namespace thence::semantics {

/// Views into the lexicon; empty when no word fits.
struct Role {
  std::string_view type;
  std::string_view component;
  std::string_view classification;
};

Role role_of(const hierarchy::ModuleTree& tree, hierarchy::ModuleId module);

}  // namespace thence::semantics
