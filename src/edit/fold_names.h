// Names in a folded model: functions are named after classes, and the nodes that call them after modules. In
// a body that several modules share, names are those on which all modules agree.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "edit/fold.h"

namespace thence::edit {

/// The label of a module: its short class or, if that is unknown, its name.
std::string label_of(const modules::ModuleTree& tree, modules::ModuleId module);

/// Names functions after classes. If a class has several bodies, the end of a module's path is added.
void name_functions(Fold& fold);

/// The name of each group's call: the path of the module, with a number from the second call on.
std::vector<std::string> call_names(const Fold& fold);

/// The names in the body of one function.
struct BodyNames {
  std::vector<std::string> values;  // in order of first use
  std::vector<std::string> steps;
};
/// In a function of a single group, names do not change.
BodyNames body_names(const Fold& fold, const Function& function, const std::vector<std::string>& calls);

}  // namespace thence::edit
