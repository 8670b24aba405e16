#include "rules/decide.h"

#include "rules/matcher.h"

namespace thence::rules {
namespace {

using modules::ModuleId;
using modules::no_module;

class Decider {
 public:
  Decider(const modules::ModuleTree& tree, const Rules& rules, Granularity granularity,
          const modules::ClassFilter& filter)
      : tree_(tree),
        filter_(filter),
        custom_(granularity == Granularity::custom),
        only_hf_((custom_ ? rules.base : granularity) == Granularity::hf && tree.has_classes()),
        matcher_(rules) {}

  // Outer modules have smaller numbers.
  Decisions decide_all() {
    found_.modules.resize(tree_.size());
    found_.group_of.resize(tree_.size(), Decisions::no_group);
    for (ModuleId id = 0; id < tree_.size(); ++id) {
      matcher_.set_module(tree_[id]);
      Decision& decision = found_.modules[id];
      if (id != modules::root) decision.renamed = found_.modules[tree_[id].parent].renamed;
      decision.renamed_by = matcher_.last_match({RuleKind::rename});
      if (decision.renamed_by != nullptr) {
        decision.renamed = id;
        found_.renamed[id] = matcher_.target(*decision.renamed_by);
      }
      decision.is_reported = !only_hf_ || is_reported_by_default(id);
      if (custom_) apply_rules(id, decision);
    }
    if (matcher_.exceeded_work_limit()) return {};
    return std::move(found_);
  }

 private:
  // For granularity hf. A module of unknown class is not treated as one of torch.nn, unless it only contains
  // a list.
  bool is_reported_by_default(ModuleId id) const {
    const modules::Module& module = tree_[id];
    if (module.class_name.empty() && (module.children.empty() || !module.only_numbers)) return true;
    return id == modules::root || filter_.is_shown(module.class_name) ||
           filter_.hf_module(tree_, id) == no_module;
  }

  void apply_rules(ModuleId id, Decision& decision) {
    const bool is_root = id == modules::root;
    if (!is_root) decision.sealed_by = inner_sealed_by_[tree_[id].parent];
    inner_sealed_by_.push_back(decision.sealed_by);
    decision.shown_by = matcher_.last_match({RuleKind::show, RuleKind::hide});
    if (decision.shown_by != nullptr && !is_root)
      decision.is_reported = decision.shown_by->kind == RuleKind::show;
    if (decision.sealed_by != nullptr) {
      decision.is_reported = false;
      return;
    }
    decision.joined_by = is_root ? nullptr : matcher_.last_match({RuleKind::join});
    if (decision.joined_by != nullptr) {
      decision.is_reported = false;
      join(id, *decision.joined_by);
      inner_sealed_by_.back() = decision.joined_by;
    } else {
      inner_sealed_by_.back() = matcher_.last_match({RuleKind::collapse});
    }
  }

  void join(ModuleId id, const Rule& rule) {
    std::string path = matcher_.target(rule);
    const auto [known, is_new] = groups_by_path_.try_emplace(path, found_.groups.size());
    if (is_new) found_.groups.push_back({std::move(path), &rule, {}, tree_[id].parent});
    JoinGroup& group = found_.groups[known->second];
    group.members.push_back(id);
    group.enclosing = tree_.nearest_common_module(group.enclosing, id);
    found_.group_of[id] = static_cast<std::uint32_t>(known->second);
  }

  const modules::ModuleTree& tree_;
  const modules::ClassFilter& filter_;
  bool custom_, only_hf_;
  Matcher matcher_;
  Decisions found_;
  std::vector<const Rule*> inner_sealed_by_;  // by module: the rule that seals the modules inside it
  std::unordered_map<std::string, std::size_t> groups_by_path_;
};

}  // namespace

Decisions decide(const modules::ModuleTree& tree, const Rules& rules, Granularity granularity,
                 const modules::ClassFilter& filter) {
  return Decider(tree, rules, granularity, filter).decide_all();
}

}  // namespace thence::rules
