// ModuleView: the modules that a user's rules and granularity report, and the answer for each node in terms
// of these modules. The evidence and the model's own answers do not change.
#pragma once

#include <memory>

#include "modules/class_filter.h"
#include "resolve/attribution.h"
#include "rules/rules.h"
#include "rules/view.h"
#include "semantics/roles.h"

namespace thence::semantics {

struct ModuleView {
  std::unique_ptr<const rules::Rules> rules;  // on the heap, because the view points into them
  rules::Granularity granularity = rules::Granularity::as_is;
  rules::View view;
  resolve::Resolution resolution;

  /// The role of a module of the view: by rules, else by its names.
  Role role(const modules::ModuleTree& own_tree, const ModuleOperations& operations, modules::ModuleId module,
            RoleReader& reader) const;
};

/// The answers in terms of the view.
resolve::Resolution translate(const modules::ModuleTree& own_tree, const resolve::Resolution& resolution,
                              const rules::View& view);

}  // namespace thence::semantics
