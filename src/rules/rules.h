// Rules: the content of a user's rules file as plain data. docs/rules.md describes the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/glob.h"

namespace thence::rules {

/// A position in the file, counted from 1.
struct SourcePosition {
  std::uint32_t line = 0, column = 0;
  auto operator<=>(const SourcePosition&) const = default;
};

enum class RuleKind { show, hide, collapse, join, rename, role };
inline constexpr std::string_view rule_kind_names[] = {"show", "hide", "collapse", "join", "rename", "role"};
inline std::string_view name_of(RuleKind kind) { return rule_kind_names[static_cast<std::size_t>(kind)]; }

struct Rule {
  RuleKind kind = RuleKind::show;
  SourcePosition position;
  std::vector<base::Glob> paths, classes;  // if both are given, one of each must match
  std::string to;  // join, rename: the new path, with {1} for the text that the first star matches
  std::string semantic_type, component, classification;  // role: empty if not given

  /// The patterns as text for users.
  std::string about() const;
};

/// Which modules are reported. `as_is` reports all of them, with hf_module as a separate field.
enum class Granularity { as_is, hf, nn, custom };

struct Rules {
  std::string file;
  std::optional<std::vector<std::string>> torch_nn_exceptions;
  Granularity base = Granularity::nn;  // the starting point for show and hide: hf or nn
  bool base_given = false;
  std::vector<Rule> rules;  // in file order

  /// Whether the rules select modules, so that `custom` has a meaning.
  bool selects_modules() const;
};

/// "thence.toml:12:3", safe to print.
std::string format_position(const std::string& file, SourcePosition position);

}  // namespace thence::rules
