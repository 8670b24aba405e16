#include "rules/rules.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace thence::rules {
namespace {

void append(std::string& out, const char* what, const std::vector<base::Glob>& globs) {
  if (globs.empty()) return;
  out += base::format("{}{} ", out.empty() ? "" : ", ", what);
  for (std::size_t i = 0; i < globs.size(); ++i) out += (i == 0 ? "" : " or ") + globs[i].text();
}

}  // namespace

std::string Rule::about() const {
  std::string text;
  append(text, "path", paths);
  append(text, "class", classes);
  return text;
}

bool Rules::selects_modules() const {
  return base_given || std::any_of(rules.begin(), rules.end(),
                                   [](const Rule& rule) { return rule.kind <= RuleKind::join; });
}

std::string format_position(const std::string& file, SourcePosition position) {
  return base::format("{}:{}:{}", base::printable(file), position.line, position.column);
}

}  // namespace thence::rules
