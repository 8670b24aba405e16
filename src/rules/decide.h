// Decides for each module of the model how rules and granularity apply to it. View makes the reported modules
// from these decisions.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "modules/class_filter.h"
#include "modules/module_tree.h"
#include "rules/rules.h"

namespace thence::rules {

/// The decision for a module, and the rules that caused it.
struct Decision {
  const Rule* shown_by = nullptr;   // the last matching show or hide rule
  const Rule* joined_by = nullptr;  // the join that the module is a part of
  const Rule* sealed_by = nullptr;  // a collapse or join of an outer module
  const Rule* renamed_by = nullptr;
  // The nearest renamed module, from the module itself outwards.
  modules::ModuleId renamed = modules::no_module;
  bool is_reported = true;  // it is reported as itself
};

/// Modules that a join combines into one.
struct JoinGroup {
  std::string path;
  const Rule* rule = nullptr;
  std::vector<modules::ModuleId> members;
  modules::ModuleId enclosing = modules::no_module;  // the innermost module that contains all members
};

struct Decisions {
  static constexpr std::uint32_t no_group = 0xffffffff;

  std::vector<Decision> modules;
  std::vector<JoinGroup> groups;
  std::vector<std::uint32_t> group_of;                         // by module; no_group if it is not joined
  std::unordered_map<modules::ModuleId, std::string> renamed;  // the new paths
};

/// `filter` decides which modules are reported with granularity hf. Returns no modules if matching the rules
/// takes too long.
Decisions decide(const modules::ModuleTree& tree, const Rules& rules, Granularity granularity,
                 const modules::ClassFilter& filter);

}  // namespace thence::rules
