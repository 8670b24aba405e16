// Which rules fit a module. Paths and classes are those that the model has, whatever rules make of them.
#pragma once

#include <cstdint>
#include <string_view>

#include "modules/module_tree.h"
#include "rules/rules.h"

namespace thence::rules {

/// Looks at one module at a time.
class Matcher {
 public:
  explicit Matcher(const Rules& rules) : rules_(rules) {}

  void look_at(const modules::Module& module) { look_at(module.path, module.class_name); }
  void look_at(std::string_view path, std::string_view class_name) {
    path_ = path;
    class_name_ = class_name;
  }
  bool fits(const Rule& rule) const;
  /// The last rule of one of these kinds that fits: later rules win. Nothing when none does.
  const Rule* last(std::initializer_list<Kind> kinds) const;
  /// Whether matching was given up: patterns and paths of a hostile file can be made to take minutes. From
  /// then on no rule fits.
  bool gave_up() const { return work_ > most_work; }
  /// The new path that a rule which fits gives.
  std::string target(const Rule& rule) const;

 private:
  // Character comparisons, at worst; they take about a second. 100 patterns of the usual length need half of
  // it for a model of 5,000 modules.
  static constexpr std::uint64_t most_work = 1'000'000'000;
  bool may_match(const base::Glob& glob, std::string_view text) const;

  const Rules& rules_;
  std::string_view path_, class_name_;
  mutable std::uint64_t work_ = 0;
};

}  // namespace thence::rules
