// Reads a rules file, and applies it to a model.
#include "../fuzz.h"
#include "output/formats.h"
#include "output/tree_rows.h"
#include "pipeline/pipeline.h"
#include "rules/explain.h"
#include "rules/read.h"

namespace thence::fuzz {
namespace {

void explain(const semantics::Map& map) {
  const semantics::ModuleView* view = map.module_view();
  if (view == nullptr) return;
  require(rules::count_matches(map.own_tree(), *view->rules, view->view).size() == view->rules->rules.size(),
          "every rule is counted");
  for (modules::ModuleId id = 0; id < map.own_tree().size(); ++id)
    for (const rules::AppliedRule& each :
         rules::applied_rules(map.own_tree(), *view->rules, view->granularity, view->view, id))
      require(each.rule != nullptr && !each.effect.empty(), "a rule has an effect");
}

void apply_rules(std::string_view input) {
  const auto [model, text] = split_pair(input);
  Result<rules::Rules> read = rules::read_rules(text, "thence.toml");
  const rules::Rules* found = value_of(read);
  if (found == nullptr) return;
  for (const rules::Rule& rule : found->rules) require_printable(rule.about(), "rule");
  const MemoryFile file(text);
  Result<semantics::Map> made = pipeline::map_bytes(model, "model.onnx", {.rules = file.path()});
  const semantics::Map* map = value_of(made);
  if (map == nullptr) return;
  require_json(text_of([&](base::Writer& out) { output::write_map_json(*map, 1, out); }), "map");
  const output::Tree tree = output::make_tree(*map, {});
  require_json(text_of([&](base::Writer& out) { output::write_tree_json(*map, tree, out); }), "tree");
  explain(*map);
}

const Registration rules_target({"rules", apply_rules, {Part::model, Part::text}});

}  // namespace
}  // namespace thence::fuzz
