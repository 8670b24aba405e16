#include "rules/matcher.h"

#include <algorithm>

#include "modules/class_glob.h"
#include "rules/target.h"

namespace thence::rules {

using base::Glob;

namespace {

// The longest text between two wildcards of any length. After a mismatch the matcher tries this text again at
// the next position, so it may compare all of it at every position.
std::size_t longest_literal_run(const std::string& pattern) {
  const std::string_view wildcard = pattern.find("**") == std::string::npos ? "*" : "**";
  std::size_t longest = 1;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t end = std::min(pattern.find(wildcard, at), pattern.size());
    longest = std::max(longest, end - at);
    at = end + wildcard.size();
  }
  return longest;
}

}  // namespace

bool Matcher::may_match(const Glob& glob, std::string_view text) const {
  if (exceeded_work_limit()) return false;
  work_ += glob.text().size() + text.size() * std::min(longest_literal_run(glob.text()), text.size());
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
