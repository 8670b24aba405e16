#include "rules/matcher.h"

#include <algorithm>

#include "hierarchy/class_glob.h"
#include "rules/target.h"

namespace thence::rules {

using base::Glob;

bool Matcher::fits(const Rule& rule) const {
  if (!rule.paths.empty() &&
      (path_.empty() || std::none_of(rule.paths.begin(), rule.paths.end(),
                                     [&](const Glob& glob) { return glob.fits(path_); })))
    return false;
  return rule.classes.empty() || std::any_of(rule.classes.begin(), rule.classes.end(), [&](const Glob& glob) {
           return hierarchy::class_fits(glob, class_name_);
         });
}

const Rule* Matcher::last(std::initializer_list<Kind> kinds) const {
  for (auto rule = rules_.rules.rbegin(); rule != rules_.rules.rend(); ++rule)
    if (std::find(kinds.begin(), kinds.end(), rule->kind) != kinds.end() && fits(*rule)) return &*rule;
  return nullptr;
}

std::string Matcher::target(const Rule& rule) const {
  std::vector<std::string_view> taken;
  for (const Glob& glob : rule.paths) {
    taken.clear();
    if (glob.fits(path_, &taken)) break;
  }
  return filled(rule.to, taken);
}

}  // namespace thence::rules
