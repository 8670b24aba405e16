// Rules: what a user's rules file says, as plain data. docs/rules.md describes the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/glob.h"

namespace thence::rules {

/// Where something stands in the file, counted from 1.
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
  std::vector<base::Glob> paths, classes;  // one of each that is given must fit
  std::string to;  // join, rename: the new path, with {1} for what the first star stood for
  std::string semantic_type, component, classification;  // role: empty where nothing is said

  /// The patterns, in words.
  std::string about() const;
};

/// Which modules are told. `as_is`: all of them; hf_module is a field beside.
enum class Granularity { as_is, hf, nn, custom };

struct Rules {
  static constexpr std::size_t largest_file = 256 * 1024;
  static constexpr std::size_t most_patterns = 1000;

  std::string file;
  std::optional<std::vector<std::string>> torch_nn_exceptions;
  Granularity base = Granularity::nn;  // what show and hide start from: hf or nn
  bool base_given = false;
  std::vector<Rule> rules;  // in the order of the file

  /// Whether it says which modules are told, so that `custom` has a meaning.
  bool selects() const;
};

/// "thence.toml:12:3", as it may be shown.
std::string place_in(const std::string& file, Place place);

}  // namespace thence::rules
