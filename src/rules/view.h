// A view: the modules as they are told. Rules and granularity choose, join and rename them; what the model
// has stays as it is, and every one of its modules is told as one of the view's.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "modules/class_filter.h"
#include "modules/module_tree.h"
#include "rules/decide.h"
#include "rules/rules.h"

namespace thence::rules {

/// Words that rules give; empty where they give none.
struct RoleWords {
  std::string_view type, component, classification;
};

/// A module that a join made: its path before any rename, and what it is made of.
struct Joined {
  std::string path;
  std::vector<modules::ModuleId> parts;
};

struct View {
  modules::ModuleTree tree;
  std::vector<modules::ModuleId> told_as;  // by module of the model: which one of `tree`
  std::vector<modules::ModuleId>
      stands_for;  // by module of `tree`: the model's; of joined ones what holds them all
  std::unordered_map<modules::ModuleId, Joined> joined;    // by module of `tree`
  std::unordered_map<modules::ModuleId, RoleWords> roles;  // by module of `tree`
  std::vector<Decision> decisions;                         // by module of the model
};

/// `filter` says which modules count under hf. The rules outlive the view. An error when two modules would
/// have the same path.
Result<View> make_view(const modules::ModuleTree& tree, const Rules& rules, Granularity granularity,
                       const modules::ClassFilter& filter);

}  // namespace thence::rules
