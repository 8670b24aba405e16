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

bool Rules::selects() const {
  return base_given ||
         std::any_of(rules.begin(), rules.end(), [](const Rule& rule) { return rule.kind <= Kind::join; });
}

std::string place_in(const std::string& file, Place place) {
  return base::format("{}:{}:{}", base::printable(file), place.line, place.column);
}

}  // namespace thence::rules
