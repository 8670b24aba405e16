// What rules make of an answer: the modules as they are told, and every node's verdict in their terms. The
// evidence and the verdicts themselves stay as they are.
#pragma once

#include <memory>

#include "modules/class_filter.h"
#include "resolve/attribution.h"
#include "rules/rules.h"
#include "rules/view.h"
#include "semantics/roles.h"

namespace thence::semantics {

struct Told {
  std::unique_ptr<const rules::Rules> rules;  // on the heap, because the view points into them
  rules::Granularity granularity = rules::Granularity::as_is;
  rules::View view;
  resolve::Resolution resolution;

  /// The role of a module of the view: by rules, else as its names tell.
  Role role(const modules::ModuleTree& own_tree, modules::ModuleId module, RoleReader& reader) const;
};

/// The verdicts in terms of the view.
resolve::Resolution retold(const resolve::Resolution& resolution, const rules::View& view);

}  // namespace thence::semantics
