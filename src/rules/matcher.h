// Matches rules with modules. Paths and classes are those of the model, before any rule is applied.
#pragma once

#include <cstdint>
#include <string_view>

#include "modules/module_tree.h"
#include "rules/limits.h"
#include "rules/rules.h"

namespace thence::rules {

/// Examines one module at a time.
class Matcher {
 public:
  explicit Matcher(const Rules& rules) : rules_(rules) {}

  void set_module(const modules::Module& module) { set_module(module.path, module.class_name); }
  void set_module(std::string_view path, std::string_view class_name) {
    path_ = path;
    class_name_ = class_name;
  }
  bool matches(const Rule& rule) const;
  /// The last matching rule of these kinds, because later rules win. Null if none matches.
  const Rule* last_match(std::initializer_list<RuleKind> kinds) const;
  /// Whether matching was aborted, because patterns and paths of a malicious file can take minutes. After
  /// that, no rule matches.
  bool exceeded_work_limit() const { return work_ > max_match_work; }
  /// The new path that a matching rule gives.
  std::string target(const Rule& rule) const;

 private:
  // Limit on character comparisons in the worst case; this number takes about a second. 100 patterns of usual
  // length need half of it for a model of 5,000 modules.
  bool may_match(const base::Glob& glob, std::string_view text) const;

  const Rules& rules_;
  std::string_view path_, class_name_;
  mutable std::uint64_t work_ = 0;
};

}  // namespace thence::rules
