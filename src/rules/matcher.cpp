#include "rules/matcher.h"

#include <algorithm>

#include "base/text.h"
#include "rules/target.h"

namespace thence::rules {

void Matcher::look_at(std::string_view path, std::string_view class_name) {
  path_.clear();
  if (!path.empty()) path_ = base::split(path, '.');
  if (class_name == class_name_ && class_name.data() == class_name_.data()) return;
  class_name_ = class_name;
  class_.clear();
  if (!class_name.empty()) class_ = base::split(class_name, '.');
}

bool Matcher::fits_class(const Glob& glob) const {
  if (class_.empty()) return false;
  return glob.fits(glob.is_one_name() ? std::span(class_).last(1) : std::span(class_));
}

bool Matcher::fits(const Rule& rule) const {
  if (!rule.paths.empty() &&
      (path_.empty() || std::none_of(rule.paths.begin(), rule.paths.end(),
                                     [&](const Glob& glob) { return glob.fits(path_); })))
    return false;
  return rule.classes.empty() || std::any_of(rule.classes.begin(), rule.classes.end(),
                                             [&](const Glob& glob) { return fits_class(glob); });
}

const Rule* Matcher::last(std::initializer_list<Kind> kinds) const {
  for (auto rule = rules_.rules.rbegin(); rule != rules_.rules.rend(); ++rule)
    if (std::find(kinds.begin(), kinds.end(), rule->kind) != kinds.end() && fits(*rule)) return &*rule;
  return nullptr;
}

std::string Matcher::target(const Rule& rule) const {
  std::vector<std::string_view> taken;
  for (const Glob& glob : rule.paths)
    if (glob.fits(path_, &taken)) break;
  return filled(rule.to, taken);
}

}  // namespace thence::rules
