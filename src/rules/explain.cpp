#include "rules/explain.h"

#include <algorithm>
#include <initializer_list>

#include "rules/matcher.h"

namespace thence::rules {
namespace {

using modules::ModuleId;

constexpr const char* later = "a later rule wins";
constexpr const char* role_effect = "sets the role, unless a later rule does";

// The effect of show and hide, which apply only to the module itself.
std::string show_effect(const Rule& rule, const Decision& decision) {
  if (&rule != decision.shown_by) return later;
  if (decision.joined_by != nullptr) return "no effect: it is joined";
  if (decision.sealed_by != nullptr) return "no effect: an enclosing module is collapsed or joined";
  return rule.kind == RuleKind::show ? "shown as itself" : "shown as the enclosing module";
}

// The effect of collapse and join, which apply to a module and everything inside it.
std::string seal_effect(const Rule& rule, const Decision& at, const Decision& module, bool itself) {
  if (at.sealed_by != nullptr) return "no effect: an enclosing module is collapsed or joined";
  if (rule.kind == RuleKind::join)
    return &rule != at.joined_by ? later
           : itself              ? "shown as a part of " + rule.to
                                 : "shown with the enclosing module";
  if (at.joined_by != nullptr) return "no effect: it is joined";
  if (itself) return "its submodules are shown as this module";
  return &rule == module.sealed_by ? "shown as the enclosing module" : later;
}

std::string rename_effect(const Rule& rule, const Decision& at, bool nearest) {
  if (&rule != at.renamed_by) return later;
  return nearest ? "renamed to " + rule.to : "a module between them has its own name";
}

// Finds the rules that match a module, kind by kind, in order of application.
class AppliedRuleFinder {
 public:
  AppliedRuleFinder(const modules::ModuleTree& tree, const Rules& rules, Granularity granularity,
                    const View& view, ModuleId module)
      : tree_(tree), rules_(rules), granularity_(granularity), view_(view), module_(module), matcher_(rules) {
    for (ModuleId at = module; at != modules::no_module; at = tree[at].parent) enclosing_.push_back(at);
    std::reverse(enclosing_.begin(), enclosing_.end());
  }

  std::vector<AppliedRule> find() {
    add_own({RuleKind::show, RuleKind::hide});
    add_inherited(RuleKind::collapse);
    add_inherited(RuleKind::join);
    add_inherited(RuleKind::rename);
    add_own({RuleKind::role});
    add_roles_of_join();
    return std::move(steps_);
  }

 private:
  // Rules that affect only the module itself.
  void add_own(std::initializer_list<RuleKind> kinds) { add(module_, kinds); }

  // Rules that also affect the modules inside a module.
  void add_inherited(RuleKind kind) {
    for (const ModuleId at : enclosing_) add(at, {kind});
  }

  void add(ModuleId at, std::initializer_list<RuleKind> kinds) {
    matcher_.set_module(tree_[at]);
    for (const Rule& rule : rules_.rules) {
      const bool wanted = std::find(kinds.begin(), kinds.end(), rule.kind) != kinds.end();
      if (wanted && matcher_.matches(rule))
        steps_.push_back({&rule, std::string(tree_[at].path), effect_of(rule, at)});
    }
  }

  // Roles of the module that a join made.
  void add_roles_of_join() {
    const auto joined = view_.joined.find(view_.reported_as[module_]);
    if (joined == view_.joined.end()) return;
    const std::string& path = joined->second.path;
    matcher_.set_module(path, view_.tree[joined->first].class_name);
    for (const Rule& rule : rules_.rules)
      if (rule.kind == RuleKind::role && matcher_.matches(rule)) steps_.push_back({&rule, path, role_effect});
  }

  std::string effect_of(const Rule& rule, ModuleId at) const {
    if (rule.kind <= RuleKind::join && granularity_ != Granularity::custom)
      return "only under granularity custom";
    const Decision& own = view_.decisions[module_];
    switch (rule.kind) {
      case RuleKind::show:
      case RuleKind::hide: return show_effect(rule, own);
      case RuleKind::collapse:
      case RuleKind::join: return seal_effect(rule, view_.decisions[at], own, at == module_);
      case RuleKind::rename: return rename_effect(rule, view_.decisions[at], own.renamed == at);
      case RuleKind::role: break;
    }
    return own.is_reported ? role_effect : "no effect: it is shown as another module";
  }

  const modules::ModuleTree& tree_;
  const Rules& rules_;
  Granularity granularity_;
  const View& view_;
  ModuleId module_;
  Matcher matcher_;
  std::vector<ModuleId> enclosing_;  // the module and its outer modules, from the root inwards
  std::vector<AppliedRule> steps_;
};

}  // namespace

std::vector<AppliedRule> applied_rules(const modules::ModuleTree& tree, const Rules& rules,
                                       Granularity granularity, const View& view, ModuleId module) {
  return AppliedRuleFinder(tree, rules, granularity, view, module).find();
}

std::vector<std::size_t> count_matches(const modules::ModuleTree& tree, const Rules& rules,
                                       const View& view) {
  std::vector<std::size_t> counts(rules.rules.size());
  Matcher matcher(rules);
  const auto count = [&](bool joined) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      if ((!joined || rules.rules[i].kind == RuleKind::role) && matcher.matches(rules.rules[i])) ++counts[i];
  };
  for (ModuleId id = 0; id < tree.size(); ++id) {
    matcher.set_module(tree[id]);
    count(false);
  }
  for (const auto& [module, joined] : view.joined) {
    matcher.set_module(joined.path, view.tree[module].class_name);
    count(true);
  }
  return counts;
}

}  // namespace thence::rules
