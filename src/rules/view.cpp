#include "rules/view.h"

#include <unordered_map>

#include "base/format.h"
#include "base/text.h"
#include "rules/matcher.h"

namespace thence::rules {
namespace {

using modules::ModuleId;
using modules::ModuleTree;
using modules::no_module;

class ViewBuilder {
 public:
  ViewBuilder(const ModuleTree& tree, const Rules& rules, Decisions decisions)
      : tree_(tree),
        rules_(rules),
        decisions_(std::move(decisions)),
        group_modules_(decisions_.groups.size(), no_module),
        matcher_(rules) {}

  Result<View> make() {
    if (auto error = fill()) return *error;
    for (ModuleId id = 0; id < tree_.size(); ++id)
      if (view_.originals[view_.reported_as[id]] == id)
        view_.tree.copy_aliases(view_.reported_as[id], tree_[id]);
    set_roles();
    if (tree_.is_complete()) view_.tree.set_complete();
    if (tree_.has_registration_order()) view_.tree.set_registration_order();
    view_.decisions = std::move(decisions_.modules);
    return std::move(view_);
  }

 private:
  // Makes the reported modules, in the order of the modules of the model.
  std::optional<Error> fill() {
    view_.reported_as.resize(tree_.size(), modules::root);
    view_.originals = {modules::root};
    if (auto error = claim_path("", modules::root, nullptr)) return error;
    view_.tree.add("", tree_[modules::root].class_name);
    if (tree_[modules::root].calls) view_.tree.set_calls(modules::root, *tree_[modules::root].calls);
    for (ModuleId id = 1; id < tree_.size(); ++id) {
      const Decision& decision = decisions_.modules[id];
      const std::uint32_t group = decisions_.group_of[id];
      ModuleId& reported = view_.reported_as[id];
      reported = view_.reported_as[tree_[id].parent];
      if (group != Decisions::no_group) {
        if (auto error = add_joined(decisions_.groups[group], group_modules_[group])) return error;
        reported = group_modules_[group];
      } else if (decision.is_reported) {
        const std::string path = renamed(tree_[id].path, decision);
        const Rule* const rule =
            decision.renamed == no_module ? nullptr : decisions_.modules[decision.renamed].renamed_by;
        if (auto error = claim_path(path, id, rule)) return error;
        reported = add(reported, path, tree_[id].class_name, id);
        if (tree_[id].calls) view_.tree.set_calls(reported, *tree_[id].calls);
      }
    }
    return std::nullopt;
  }

  // A path inside a renamed module.
  std::string renamed(std::string_view path, const Decision& decision) const {
    if (decision.renamed == no_module) return std::string(path);
    const std::string_view old = tree_[decision.renamed].path;
    if (!path.starts_with(old) || (path.size() > old.size() && path[old.size()] != '.'))
      return std::string(path);  // a joined module that is reported elsewhere
    return decisions_.renamed.at(decision.renamed) + std::string(path.substr(old.size()));
  }

  std::optional<Error> add_joined(const JoinGroup& group, ModuleId& made) {
    if (made != no_module) return std::nullopt;
    const std::string path = renamed(group.path, decisions_.modules[group.enclosing]);
    if (auto error = claim_path(path, group.members.front(), group.rule)) return error;
    std::string_view class_name = tree_[group.members.front()].class_name;
    for (const ModuleId member : group.members)
      if (tree_[member].class_name != class_name) class_name = {};
    made = add(view_.reported_as[group.enclosing], path, class_name, group.enclosing);
    view_.joined[made] = {group.path, group.members};
    return std::nullopt;
  }

  ModuleId add(ModuleId parent, const std::string& path, std::string_view class_name, ModuleId original) {
    view_.originals.push_back(original);
    return view_.tree.add_child(parent, path, class_name);
  }

  // Checks that only one module has a path. `rule` is the rule that gave the path, if any.
  std::optional<Error> claim_path(const std::string& path, ModuleId id, const Rule* rule) {
    const auto [known, is_new] = claims_.try_emplace(path, Claim{id, rule});
    const bool too_long = path.size() > ModuleTree::max_path_length;
    if (is_new && !too_long) return std::nullopt;
    // A rule may have moved either of the two modules.
    const bool moved = rule != nullptr;
    const Rule* const blamed = moved ? rule : known->second.rule;
    if (blamed == nullptr) return std::nullopt;  // the model itself may repeat paths
    const ModuleId mine = moved ? id : known->second.module, other = moved ? known->second.module : id;
    return Error{
        ErrorKind::bad_input, "R005",
        base::format("{}: this {} gives '{}' {}", format_position(rules_.file, blamed->position),
                     name_of(blamed->kind), base::printable(tree_[mine].path),
                     path.empty() ? "no path"
                     : too_long   ? "a path that is too long"
                                  : base::format("the path '{}', which '{}' has", base::printable(path),
                                                 base::printable(tree_[other].path))),
        "use {1} and so on to distinguish modules, or [[join]] to merge them; --no-rules leaves rules "
        "out"};
  }

  void set_roles() {
    for (ModuleId id = 0; id < view_.tree.size(); ++id) {
      if (const auto joined = view_.joined.find(id); joined != view_.joined.end())
        matcher_.set_module(joined->second.path, view_.tree[id].class_name);
      else
        matcher_.set_module(tree_[view_.originals[id]]);
      RoleOverride role;
      for (const Rule& rule : rules_.rules) {
        if (rule.kind != RuleKind::role || !matcher_.matches(rule)) continue;
        if (!rule.semantic_type.empty()) role.type = rule.semantic_type;
        if (!rule.component.empty()) role.component = rule.component;
        if (!rule.classification.empty()) role.classification = rule.classification;
      }
      if (!role.type.empty() || !role.component.empty() || !role.classification.empty())
        view_.roles[id] = role;
    }
  }

  struct Claim {
    ModuleId module;
    const Rule* rule;
  };

  const ModuleTree& tree_;
  const Rules& rules_;
  Decisions decisions_;
  std::vector<ModuleId> group_modules_;  // by group: its module in the view
  Matcher matcher_;
  View view_;
  std::unordered_map<std::string, Claim> claims_;
};

}  // namespace

Result<View> make_view(const ModuleTree& tree, const Rules& rules, Granularity granularity,
                       const modules::ClassFilter& filter) {
  Decisions decisions = decide(tree, rules, granularity, filter);
  if (decisions.modules.empty())
    return Error{ErrorKind::bad_input, "R004",
                 base::format("{}: the patterns take too long to match with the {} modules of the model",
                              base::printable(rules.file), tree.size()),
                 "use fewer or shorter patterns, or --no-rules"};
  return ViewBuilder(tree, rules, std::move(decisions)).make();
}

}  // namespace thence::rules
