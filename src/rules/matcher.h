// Matches rules with modules. Paths and classes are those of the model, before any rule is applied.
#pragma once

#include <cstdint>
#include <string_view>

#include "modules/module_tree.h"
#include "rules/rules.h"

namespace thence::rules {

/// Examines one module at a time.
class Matcher {
 public:
  explicit Matcher(const Rules& rules) : rules_(rules) {}

  void look_at(const modules::Module& module) { look_at(module.path, module.class_name); }
  void look_at(std::string_view path, std::string_view class_name) {
    path_ = path;
    class_name_ = class_name;
  }
  bool fits(const Rule& rule) const;
  /// The last matching rule of these kinds, because later rules win. Null if none matches.
  const Rule* last(std::initializer_list<Kind> kinds) const;
  /// Whether matching was aborted, because patterns and paths of a malicious file can take minutes. After
  /// that, no rule matches.
  bool gave_up() const { return work_ > most_work; }
  /// The new path that a matching rule gives.
  std::string target(const Rule& rule) const;

 private:
  // Limit on character comparisons in the worst case; this number takes about a second. 100 patterns of usual
  // length need half of it for a model of 5,000 modules.
  static constexpr std::uint64_t most_work = 1'000'000'000;
  bool may_match(const base::Glob& glob, std::string_view text) const;

  const Rules& rules_;
  std::string_view path_, class_name_;
  mutable std::uint64_t work_ = 0;
};

}  // namespace thence::rules
