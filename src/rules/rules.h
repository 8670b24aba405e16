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
struct Place {
  std::uint32_t line = 0, column = 0;
  auto operator<=>(const Place&) const = default;
};

enum class Kind { show, hide, collapse, join, rename, role };
inline constexpr std::string_view kind_names[] = {"show", "hide", "collapse", "join", "rename", "role"};
inline std::string_view name_of(Kind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

struct Rule {
  Kind kind = Kind::show;
  Place place;
  std::vector<base::Glob> paths, classes;  // if both are given, one of each must match
  std::string to;  // join, rename: the new path, with {1} for the text that the first star matches
  std::string semantic_type, component, classification;  // role: empty if not given

  /// The patterns as text for users.
  std::string about() const;
};

/// Which modules are reported. `as_is` reports all of them, with hf_module as a separate field.
enum class Granularity { as_is, hf, nn, custom };

struct Rules {
  static constexpr std::size_t largest_file = 256 * 1024;
  static constexpr std::size_t most_patterns = 1000;

  std::string file;
  std::optional<std::vector<std::string>> torch_nn_exceptions;
  Granularity base = Granularity::nn;  // the starting point for show and hide: hf or nn
  bool base_given = false;
  std::vector<Rule> rules;  // in file order

  /// Whether the rules select modules, so that `custom` has a meaning.
  bool selects() const;
};

/// "thence.toml:12:3", safe to print.
std::string place_in(const std::string& file, Place place);

}  // namespace thence::rules
