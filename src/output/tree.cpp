// The module tree as JSON and CSV, with the same content.

#include <iterator>

#include "base/format.h"
#include "base/text.h"
#include "output/account.h"
#include "output/formats.h"
#include "output/json_parts.h"
#include "output/tree_rows.h"

namespace thence::output {
namespace {

using base::JsonWriter;

// Writes a number, or an expression of named sizes as text. Writes null if there is work but all of it is
// unknown.
void write_amount(const shapes::Sizes& sizes, const shapes::Polynomial& amount, std::int64_t times,
                  bool is_work_unknown, JsonWriter& json) {
  shapes::Polynomial all;
  if (is_work_unknown || !all.add(amount, times))
    json.null();
  else if (all.is_number())
    json.value(all.number());
  else
    json.value(sizes.text(all));
}

bool is_work_unknown(const Tally& tally) { return tally.uncounted > 0 && tally.macs == shapes::Polynomial(); }

void write_work(const shapes::Sizes& sizes, const Tally& tally, JsonWriter& json) {
  json.key<"flops">();
  write_amount(sizes, tally.macs, 2, is_work_unknown(tally), json);
  json.key<"macs">();
  write_amount(sizes, tally.macs, 1, is_work_unknown(tally), json);
  json.key<"own_flops">();
  write_amount(sizes, tally.own_macs, 2, false, json);
  json.member<"uncounted_nodes">(tally.uncounted);
  json.key<"elementwise">();
  write_amount(sizes, tally.elementwise, 1, !tally.elementwise_known, json);
}

void write_tally(const Tree& tree, const Tally& tally, JsonWriter& json) {
  const Tally& whole = tree.tallies.total;
  json.member<"nodes">(tally.nodes);
  json.member<"own_nodes">(tally.own_nodes);
  json.member<"parameters">(tally.parameters);
  json.member<"buffers">(tally.buffers);
  json.member<"constants">(tally.constants);
  json.member<"bytes">(tally.bytes);
  json.begin_array<"dtypes">();
  const std::string types = type_names(tally.types);
  if (!types.empty())
    for (const std::string_view type : base::split(types, ',')) json.value(type);
  json.end_array();
  write_work(tree.inferred.sizes, tally, json);
  json.real<"confidence">(tally.mean_confidence(), 4);
  json.begin_object<"share">();
  json.real<"nodes">(share(tally, whole, Measure::nodes), 4);
  json.real<"parameters">(share(tally, whole, Measure::parameters), 4);
  json.real<"bytes">(share(tally, whole, Measure::bytes), 4);
  json.real<"flops">(share(tally, whole, Measure::flops), 4);
  json.end_object();
}

void write_row(const semantics::Map& map, const Tree& tree, const TreeRow& row, JsonWriter& json) {
  const modules::Module& module = map.tree()[row.module];
  const semantics::Role role = map.role(row.module);
  json.begin_object();
  json.member<"path">(module.path);
  json.member_or_null<"class">(module.class_name);
  json.member_or_null<"semantic_type">(role.type);
  json.member_or_null<"component">(role.component);
  json.begin_array<"components">();
  role.each_component([&](std::string_view component) { json.value(component); });
  json.end_array();
  json.member_or_null<"operation">(role.operation);
  write_layers(json, map.layers(row.module), LayerSteps::pairs);
  json.member<"depth">(row.depth);
  write_tally(tree, tree.of(row), json);
  json.end_object();
}

void append_csv_tally(std::string& text, const Tree& tree, const Tally& tally, Formulas formulas) {
  const auto add = [&](const shapes::Polynomial& amount, std::int64_t times, bool unknown) {
    shapes::Polynomial all;
    text += ',';
    if (!unknown && all.add(amount, times)) append_csv_field(text, tree.inferred.sizes.text(all), formulas);
  };
  base::append_format(text, "{},{},{},{},{},{},", tally.nodes, tally.own_nodes, tally.parameters,
                      tally.buffers, tally.constants, tally.bytes);
  append_csv_field(text, type_names(tally.types), formulas);
  add(tally.macs, 2, is_work_unknown(tally));
  add(tally.macs, 1, is_work_unknown(tally));
  add(tally.own_macs, 2, false);
  base::append_format(text, ",{}", tally.uncounted);
  add(tally.elementwise, 1, !tally.elementwise_known);
  base::append_format(text, ",{:.4g}", tally.mean_confidence());
}

}  // namespace

void write_tree_jsonl(const semantics::Map& map, const Tree& tree, base::Writer& out) {
  for (const TreeRow& row : tree.rows) {
    JsonWriter json(out.buffer());
    write_row(map, tree, row, json);
    out.add("\n");
  }
  out.flush();
}

void write_tree_json(const semantics::Map& map, const Tree& tree, base::Writer& out) {
  JsonWriter json(out.buffer());
  json.begin_object();
  json.member<"schema">("thence.tree/1");
  json.member<"model">(map.model().file());
  json.new_line();
  json.begin_array<"modules">();
  for (const TreeRow& row : tree.rows) {
    json.new_line();
    write_row(map, tree, row, json);
    out.flush_if_full();
  }
  json.end_array();
  json.new_line();
  json.begin_object<"unknown">();
  write_tally(tree, tree.tallies.unknown, json);
  json.end_object();
  json.new_line();
  json.begin_object<"total">();
  write_tally(tree, tree.tallies.total, json);
  json.end_object();
  json.new_line();
  json.member<"unknown_nodes">(map.summary().unknown);
  json.new_line();
  write_account(tree.tallies.account, json);
  json.new_line();
  write_uncounted(tree.tallies.uncounted, json);
  json.end_object();
  out.add("\n");
  out.flush();
}

void write_tree_csv(const semantics::Map& map, const Tree& tree, Formulas formulas, base::Writer& out) {
  out.add(
      "path,class,depth,nodes,own_nodes,parameters,buffers,constants,bytes,dtypes,flops,macs,own_flops,"
      "uncounted_nodes,"
      "elementwise,confidence,semantic_type,component,layer_id\n");
  for (const TreeRow& row : tree.rows) {
    std::string& text = out.buffer();
    const modules::Module& module = map.tree()[row.module];
    append_csv_field(text, module.path, formulas);
    text += ',';
    append_csv_field(text, module.class_name, formulas);
    base::append_format(text, ",{},", row.depth);
    append_csv_tally(text, tree, tree.of(row), formulas);
    const semantics::Role role = map.role(row.module);
    const std::vector<modules::LayerStep> layers = map.layers(row.module);
    for (const std::string_view word : {role.type, role.component}) {
      text += ',';
      append_csv_field(text, word, formulas);
    }
    out.add(base::format(",{}\n", layers.empty() ? std::string() : std::to_string(layers.front().index)));
  }
  for (const auto& [name, tally] :
       {std::pair("(unknown)", &tree.tallies.unknown), std::pair("(total)", &tree.tallies.total)}) {
    out.add(base::format("{},,,", name));
    append_csv_tally(out.buffer(), tree, *tally, formulas);
    out.add(",,,\n");
  }
  out.flush();
}

}  // namespace thence::output
