// A view: the modules as reported. Rules and granularity select, join and rename them. The modules of the
// model do not change, and each is reported as one module of the view.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "modules/class_filter.h"
#include "modules/module_tree.h"
#include "rules/decide.h"
#include "rules/rules.h"

namespace thence::rules {

/// The role that rules give; empty if not given.
struct RoleOverride {
  std::string_view type, component, classification;
};

/// A joined module: its path before any rename, and its parts.
struct JoinedModule {
  std::string path;
  std::vector<modules::ModuleId> parts;
};

struct View {
  modules::ModuleTree tree;
  std::vector<modules::ModuleId> reported_as;  // by module of the model: its module of `tree`
  // By module of `tree`: the module of the model; for a joined one, the module that contains all parts.
  std::vector<modules::ModuleId> originals;
  std::unordered_map<modules::ModuleId, JoinedModule> joined;  // by module of `tree`
  std::unordered_map<modules::ModuleId, RoleOverride> roles;   // by module of `tree`
  std::vector<Decision> decisions;                             // by module of the model
};

/// `filter` decides which modules are reported with granularity hf. The rules must outlive the view. Returns
/// an error if two modules would have the same path.
Result<View> make_view(const modules::ModuleTree& tree, const Rules& rules, Granularity granularity,
                       const modules::ClassFilter& filter);

}  // namespace thence::rules
