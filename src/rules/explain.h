// Which rules are about a module, in the order in which they are applied, and what each does to it.
#pragma once

#include <string>
#include <vector>

#include "rules/view.h"

namespace thence::rules {

struct Step {
  const Rule* rule = nullptr;
  std::string on;  // the path that it fits: this module's, one around it, or the one that a join made
  std::string effect;
};

/// Those that fit the module, and of collapse, join and rename also those that fit a module around it.
std::vector<Step> steps_for(const modules::ModuleTree& tree, const Rules& rules, Granularity granularity,
                            const View& view, modules::ModuleId module);

/// By rule: how many modules it fits; a role also those that joins made.
std::vector<std::size_t> count_matches(const modules::ModuleTree& tree, const Rules& rules, const View& view);

}  // namespace thence::rules
