// Lists the rules that apply to a module, in order of application, and the effect of each.
#pragma once

#include <string>
#include <vector>

#include "rules/view.h"

namespace thence::rules {

struct AppliedRule {
  const Rule* rule = nullptr;
  std::string matched_path;  // the matching path: of this module, of an outer one, or of a joined one
  std::string effect;
};

/// The rules that match the module and, for collapse, join and rename, those that match an outer module.
std::vector<AppliedRule> applied_rules(const modules::ModuleTree& tree, const Rules& rules,
                                       Granularity granularity, const View& view, modules::ModuleId module);

/// By rule: the number of modules that it matches. For a role, joined modules count as well.
std::vector<std::size_t> count_matches(const modules::ModuleTree& tree, const Rules& rules, const View& view);

}  // namespace thence::rules
