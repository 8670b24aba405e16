// What things are called in a folded model: functions after classes, the nodes that call them after modules,
// and in a body that stands for several modules whatever they all agree on.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "edit/fold.h"

namespace thence::edit {

/// What a module's class is called: its own name or, where it is not known, the module's.
std::string label_of(const modules::ModuleTree& tree, modules::ModuleId module);

/// Classes, with the end of a module's path where a class has several bodies.
void name_functions(Fold& fold);

/// The name of each group's call: the module's path, with a number from its second call on.
std::vector<std::string> call_names(const Fold& fold);

/// The names in one function's body.
struct BodyNames {
  std::vector<std::string> values;  // as they are met
  std::vector<std::string> steps;
};
/// Of a function that stands for one group, nothing changes.
BodyNames names_in(const Fold& fold, const Function& function, const std::vector<std::string>& calls);

}  // namespace thence::edit
