// The module tree as JSON and CSV, which carry the same.

#include <iterator>

#include "base/format.h"
#include "output/formats.h"
#include "output/json_text.h"
#include "output/layer_json.h"
#include "output/tree_rows.h"

namespace thence::output {
namespace {

// A number, or an expression of named sizes as text; null where there is something and none of it is known.
void append_amount(std::string& text, const shapes::Sizes& sizes, const shapes::Polynomial& amount,
                   std::int64_t times, bool nothing_known) {
  shapes::Polynomial all;
  if (nothing_known || !all.add(amount, times)) {
    text += "null";
  } else if (all.is_number()) {
    text += std::to_string(all.number());
  } else {
    append_json_string(text, sizes.text(all));
  }
}

bool nothing_known(const Tally& tally) { return tally.uncounted > 0 && tally.macs == shapes::Polynomial(); }

void append_tally(std::string& text, const Tree& tree, const Tally& tally) {
  const shapes::Sizes& sizes = tree.inferred.sizes;
  const Tally& whole = tree.tallies.total;
  base::append_format(text, R"("nodes":{},"own_nodes":{},"parameters":{},"bytes":{},"dtypes":[)", tally.nodes,
                      tally.own_nodes, tally.parameters, tally.bytes);
  std::string types = type_names(tally.types);
  for (std::size_t at = 0; at < types.size();) {
    const std::size_t end = std::min(types.find(',', at), types.size());
    text += at > 0 ? "," : "";
    append_json_string(text, std::string_view(types).substr(at, end - at));
    at = end + 1;
  }
  text += R"(],"flops":)";
  append_amount(text, sizes, tally.macs, 2, nothing_known(tally));
  text += R"(,"macs":)";
  append_amount(text, sizes, tally.macs, 1, nothing_known(tally));
  text += R"(,"own_flops":)";
  append_amount(text, sizes, tally.own_macs, 2, false);
  base::append_format(text, R"(,"uncounted_nodes":{},"elementwise":)", tally.uncounted);
  append_amount(text, sizes, tally.elementwise, 1, !tally.elementwise_known);
  base::append_format(text,
                      R"(,"confidence":{:.4g},"share":{{"nodes":{:.4g},"parameters":{:.4g},"bytes":{:.4g},)"
                      R"("flops":{:.4g}}})",
                      tally.mean_confidence(), share(tally, whole, Measure::nodes),
                      share(tally, whole, Measure::parameters), share(tally, whole, Measure::bytes),
                      share(tally, whole, Measure::flops));
}

void append_csv_tally(std::string& text, const Tree& tree, const Tally& tally, Formulas formulas) {
  const auto add = [&](const shapes::Polynomial& amount, std::int64_t times, bool unknown) {
    shapes::Polynomial all;
    text += ',';
    if (!unknown && all.add(amount, times)) append_csv_field(text, tree.inferred.sizes.text(all), formulas);
  };
  base::append_format(text, "{},{},{},{},", tally.nodes, tally.own_nodes, tally.parameters, tally.bytes);
  append_csv_field(text, type_names(tally.types), formulas);
  add(tally.macs, 2, nothing_known(tally));
  add(tally.macs, 1, nothing_known(tally));
  add(tally.own_macs, 2, false);
  base::append_format(text, ",{}", tally.uncounted);
  add(tally.elementwise, 1, !tally.elementwise_known);
  base::append_format(text, ",{:.4g}", tally.mean_confidence());
}

}  // namespace

void write_tree_json(const semantics::Map& map, const Tree& tree, bool lines, base::Writer& out) {
  if (!lines) {
    out.add(R"({"schema":"thence.tree/1","model":)");
    append_json_string(out.buffer(), map.model().file());
    out.add(",\n\"modules\":[");
  }
  bool first = true;
  for (const TreeRow& row : tree.rows) {
    if (!lines) out.add(first ? "\n" : ",\n");
    first = false;
    std::string& text = out.buffer();
    const modules::Module& module = map.tree()[row.module];
    text += R"({"path":)";
    append_json_string(text, module.path);
    text += R"(,"class":)";
    append_json_string_or_null(text, module.class_name);
    const semantics::Role role = map.role(row.module);
    text += R"(,"semantic_type":)";
    append_json_string_or_null(text, role.type);
    text += R"(,"component":)";
    append_json_string_or_null(text, role.component);
    text += ',';
    append_layers(text, map.layers(row.module), LayerSteps::pairs);
    base::append_format(text, R"(,"depth":{},)", row.depth);
    append_tally(text, tree, tree.of(row));
    out.add("}");
    if (lines) out.add("\n");
  }
  if (!lines) {
    out.add("],\n\"unknown\":{");
    append_tally(out.buffer(), tree, tree.tallies.unknown);
    out.add("},\n\"total\":{");
    append_tally(out.buffer(), tree, tree.tallies.total);
    out.add(base::format("}},\n\"unknown_nodes\":{}}}\n", map.summary().unknown));
  }
  out.flush();
}

void write_tree_csv(const semantics::Map& map, const Tree& tree, Formulas formulas, base::Writer& out) {
  out.add(
      "path,class,depth,nodes,own_nodes,parameters,bytes,dtypes,flops,macs,own_flops,uncounted_nodes,"
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
