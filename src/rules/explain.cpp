#include "rules/explain.h"

#include <algorithm>

#include "rules/matcher.h"

namespace thence::rules {
namespace {

using modules::ModuleId;

constexpr const char* later = "a later rule wins";
constexpr const char* words_used = "its words are used, unless a later rule has others";

// What show and hide do, to the module itself only.
std::string shown(const Rule& rule, const Decision& decision) {
  if (&rule != decision.shown_by) return later;
  if (decision.joined_by != nullptr) return "no effect: it is joined";
  if (decision.sealed_by != nullptr) return "no effect: a module around it is collapsed or joined";
  return rule.kind == Kind::show ? "told as itself" : "told as the module around it";
}

// What collapse and join do, to a module and what is inside it.
std::string closed(const Rule& rule, const Decision& at, const Decision& module, bool itself) {
  if (at.sealed_by != nullptr) return "no effect: a module around it is collapsed or joined";
  if (rule.kind == Kind::join)
    return &rule != at.joined_by ? later
           : itself              ? "told as a part of " + rule.to
                                 : "told with the module around it";
  if (at.joined_by != nullptr) return "no effect: it is joined";
  if (itself) return "what is inside is told as this one";
  return &rule == module.sealed_by ? "told as the module around it" : later;
}

std::string renamed(const Rule& rule, const Decision& at, bool nearest) {
  if (&rule != at.renamed_by) return later;
  return nearest ? "renamed to " + rule.to : "a module between has a name of its own";
}

}  // namespace

std::vector<Step> steps_for(const modules::ModuleTree& tree, const Rules& rules, Granularity granularity,
                            const View& view, ModuleId module) {
  std::vector<ModuleId> around;  // from the root inwards
  for (ModuleId at = module; at != modules::no_module; at = tree[at].parent) around.push_back(at);
  std::reverse(around.begin(), around.end());
  const Decision& own = view.decisions[module];
  Matcher matcher(rules);
  std::vector<Step> steps;
  const auto add = [&](Kind first, Kind second, auto effect) {
    const bool inwards = first == Kind::collapse || first == Kind::join || first == Kind::rename;
    for (const ModuleId at : around) {
      if (at != module && !inwards) continue;
      matcher.look_at(tree[at]);
      for (const Rule& rule : rules.rules)
        if ((rule.kind == first || rule.kind == second) && matcher.fits(rule))
          steps.push_back({&rule, std::string(tree[at].path),
                           rule.kind <= Kind::join && granularity != Granularity::custom
                               ? "only under granularity custom"
                               : effect(rule, at)});
    }
  };
  add(Kind::show, Kind::hide, [&](const Rule& rule, ModuleId) { return shown(rule, own); });
  for (const Kind kind : {Kind::collapse, Kind::join})
    add(kind, kind,
        [&](const Rule& rule, ModuleId at) { return closed(rule, view.decisions[at], own, at == module); });
  add(Kind::rename, Kind::rename,
      [&](const Rule& rule, ModuleId at) { return renamed(rule, view.decisions[at], own.renamed == at); });
  add(Kind::role, Kind::role, [&](const Rule&, ModuleId) {
    return own.kept ? std::string(words_used) : std::string("no effect: it is told as another module");
  });
  if (const auto joined = view.joined.find(view.told_as[module]); joined != view.joined.end()) {
    const std::string& path = joined->second.path;
    matcher.look_at(path, view.tree[joined->first].class_name);
    for (const Rule& rule : rules.rules)
      if (rule.kind == Kind::role && matcher.fits(rule)) steps.push_back({&rule, path, words_used});
  }
  return steps;
}

std::vector<std::size_t> count_matches(const modules::ModuleTree& tree, const Rules& rules,
                                       const View& view) {
  std::vector<std::size_t> counts(rules.rules.size());
  Matcher matcher(rules);
  const auto count = [&](bool joined) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      if ((!joined || rules.rules[i].kind == Kind::role) && matcher.fits(rules.rules[i])) ++counts[i];
  };
  for (ModuleId id = 0; id < tree.size(); ++id) {
    matcher.look_at(tree[id]);
    count(false);
  }
  for (const auto& [module, joined] : view.joined) {
    matcher.look_at(joined.path, view.tree[module].class_name);
    count(true);
  }
  return counts;
}

}  // namespace thence::rules
