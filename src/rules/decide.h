// What rules and granularity decide about each module of the model, before anything is made of it.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "modules/class_filter.h"
#include "modules/module_tree.h"
#include "rules/rules.h"

namespace thence::rules {

/// What was decided about a module, and by which rule.
struct Decision {
  const Rule* shown_by = nullptr;   // the last of show and hide that fits
  const Rule* joined_by = nullptr;  // it is a part of what this rule makes
  const Rule* sealed_by = nullptr;  // a collapse or join of a module around it
  const Rule* renamed_by = nullptr;
  modules::ModuleId renamed = modules::no_module;  // the nearest one, from itself outwards, with another name
  bool kept = true;                                // it is told as itself
};

/// Modules that a join makes one of.
struct Group {
  std::string path;
  const Rule* rule = nullptr;
  std::vector<modules::ModuleId> members;
  modules::ModuleId around = modules::no_module;  // the innermost module that holds them all
};

struct Decisions {
  static constexpr std::uint32_t no_group = 0xffffffff;

  std::vector<Decision> modules;
  std::vector<Group> groups;
  std::vector<std::uint32_t> group_of;                         // by module; no_group: it is no part
  std::unordered_map<modules::ModuleId, std::string> renamed;  // the new paths
};

/// `filter` says which modules count under hf. Without any modules: matching the rules takes too long.
Decisions decide(const modules::ModuleTree& tree, const Rules& rules, Granularity granularity,
                 const modules::ClassFilter& filter);

}  // namespace thence::rules
