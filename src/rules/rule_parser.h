// Parses one rule of a rules file: its keys, patterns and values, and the errors for invalid ones.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "rules/document.h"

namespace thence::rules {

class RuleParser {
 public:
  explicit RuleParser(std::string file) : file_(std::move(file)) {}

  Result<Rule> rule(RuleKind kind, const Value& table) const;

  Error rule_error(SourcePosition position, const std::string& what, const std::string& hint) const;
  Error unknown_key(const Entry& entry, std::span<const std::string_view> known) const;

 private:
  using OptionalError = std::optional<Error>;
  OptionalError read_entry(const Entry& entry, Rule& rule) const;
  OptionalError check_selects(const Rule& rule) const;
  OptionalError check_role(const Rule& rule) const;
  OptionalError check_new_path(const Rule& rule, SourcePosition target) const;
  OptionalError read_patterns(const Entry& entry, std::vector<base::Glob>& globs) const;
  OptionalError read_pattern(const Value& value, std::vector<base::Glob>& globs) const;
  OptionalError read_word(const Entry& entry, std::string& word) const;
  OptionalError read_target(const Entry& entry, std::string& target) const;
  OptionalError check_stars(const Rule& rule, SourcePosition target) const;

  std::string file_;
};

}  // namespace thence::rules
