// Parses one rule of a rules file: its keys, patterns and values, and the errors for invalid ones.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "rules/document.h"

namespace thence::rules {

class Words {
 public:
  explicit Words(std::string file) : file_(std::move(file)) {}

  Result<Rule> rule(Kind kind, const Value& table) const;

  Error wrong(Place place, const std::string& what, const std::string& hint) const;
  Error unknown_key(const Entry& entry, std::span<const std::string_view> known) const;

 private:
  using Fault = std::optional<Error>;
  Fault read_entry(const Entry& entry, Rule& rule) const;
  Fault check_selects(const Rule& rule) const;
  Fault check_role(const Rule& rule) const;
  Fault check_new_path(const Rule& rule, Place target) const;
  Fault read_patterns(const Entry& entry, std::vector<base::Glob>& globs) const;
  Fault read_pattern(const Value& value, std::vector<base::Glob>& globs) const;
  Fault read_word(const Entry& entry, std::string& word) const;
  Fault read_target(const Entry& entry, std::string& target) const;
  Fault check_stars(const Rule& rule, Place target) const;

  std::string file_;
};

}  // namespace thence::rules
