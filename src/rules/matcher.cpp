#include "rules/matcher.h"

#include <algorithm>

#include "modules/class_glob.h"
#include "rules/target.h"

namespace thence::rules {

using base::Glob;

bool Matcher::may_match(const Glob& glob, std::string_view text) const {
  if (exceeded_work_limit()) return false;
  work_ += glob.text().size() + text.size() * std::min(glob.longest_run(), text.size());
  return !exceeded_work_limit();
}

bool Matcher::matches(const Rule& rule) const {
  if (!rule.paths.empty() &&
      (path_.empty() || std::none_of(rule.paths.begin(), rule.paths.end(), [&](const Glob& glob) {
         return may_match(glob, path_) && glob.matches(path_);
       })))
    return false;
  return rule.classes.empty() || std::any_of(rule.classes.begin(), rule.classes.end(), [&](const Glob& glob) {
           return may_match(glob, class_name_) && modules::class_matches(glob, class_name_);
         });
}

const Rule* Matcher::last_match(std::initializer_list<RuleKind> kinds) const {
  for (auto rule = rules_.rules.rbegin(); rule != rules_.rules.rend(); ++rule)
    if (std::find(kinds.begin(), kinds.end(), rule->kind) != kinds.end() && matches(*rule)) return &*rule;
  return nullptr;
}

std::string Matcher::target(const Rule& rule) const {
  std::vector<std::string_view> captures;
  for (const Glob& glob : rule.paths) {
    captures.clear();
    if (glob.matches(path_, &captures)) break;
  }
  return substitute_stars(rule.to, captures);
}

}  // namespace thence::rules
