// Rows from the map: modules, nodes, initializers, and evidence.

#include <cmath>
#include <optional>

#include "base/format.h"
#include "base/json_writer.h"
#include "query/rows.h"
#include "semantics/module_totals.h"
#include "weights/trace.h"

namespace thence::query {
namespace {

using modules::ModuleId;
using modules::no_module;
using semantics::Map;

// Writes the path of a module, or NULL.
void add_path(Statement& row, const modules::ModuleTree& tree, ModuleId module) {
  if (module == no_module)
    row.null();
  else
    row.text(tree[module].path);
}

// Writes the index of the outermost layer, or NULL.
void add_layer(Statement& row, const std::vector<modules::LayerStep>& layers) {
  if (layers.empty())
    row.null();
  else
    row.count(layers.front().index);
}

// The columns role, semantic_type and component. The first two are the same: selectors call it a role, the
// map's JSON a semantic type.
void add_role(Statement& row, const semantics::Role& role) {
  row.text_or_null(role.type);
  row.text_or_null(role.type);
  row.text_or_null(role.component);
}

std::string list_of(const modules::ModuleTree& tree, const std::vector<ModuleId>& modules) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_array();
  for (const ModuleId module : modules) json.value(tree[module].path);
  json.end_array();
  return text;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_array();
  for (const std::string& name : names) json.value(name);
  json.end_array();
  return text;
}

// The modules of nodes as lists. Most nodes belong to one module, the same as the previous node.
class ModuleLists {
 public:
  explicit ModuleLists(const Map& map) : map_(map) {}

  /// Valid until the next call.
  const std::string& of(onnx::NodeId node) {
    const resolve::Attribution& answer = map_.answer(node);
    if (answer.module_set != 0 || single_module_ != answer.module)
      text_ = list_of(map_.tree(), map_.modules_of(node));
    single_module_.reset();
    if (answer.module_set == 0) single_module_ = answer.module;
    return text_;
  }

 private:
  const Map& map_;
  std::optional<ModuleId> single_module_;  // the module in the list; no_module: the list is empty
  std::string text_;
};

}  // namespace

void fill_metadata(const Map& map, Database& database) {
  const onnx::Model& model = map.model();
  Statement row = insert_into(database, "metadata", 2);
  const auto add_text = [&](const char* key, std::string_view value) {
    row.text(key);
    row.text(value);
    row.insert_row();
  };
  const auto add_number = [&](const char* key, std::int64_t value) {
    row.text(key);
    row.number(value);
    row.insert_row();
  };
  const semantics::Summary summary = map.summary();
  add_text("schema", "thence.sqlite/1");
  add_text("file", model.file());
  add_text("strategy", map.strategy().name);
  add_text("producer_name", model.producer_name());
  add_text("producer_version", model.producer_version());
  add_number("ir_version", model.ir_version());
  for (const onnx::Opset& opset : model.opsets())
    if (opset.domain.empty() || opset.domain == "ai.onnx") {
      add_number("opset", opset.version);
      break;
    }
  add_number("nodes", static_cast<std::int64_t>(summary.nodes));
  add_number("direct", static_cast<std::int64_t>(summary.direct));
  add_number("inferred", static_cast<std::int64_t>(summary.inferred));
  add_number("unknown", static_cast<std::int64_t>(summary.unknown));
}

void fill_modules(const Map& map, Database& database) {
  const std::vector<semantics::ModuleTotals> holdings = semantics::module_totals(map);
  const modules::ModuleTree& tree = map.tree();
  std::vector<std::int64_t> depths(tree.size());
  Statement row = insert_into(database, "modules", 16);
  for (ModuleId id = 0; id < tree.size(); ++id) {
    const modules::Module& module = tree[id];
    if (id != modules::root) depths[id] = depths[module.parent] + 1;
    const semantics::ModuleFacts& facts = map.facts(id);
    row.number(id);
    row.text(module.path);
    add_path(row, tree, module.parent);
    row.text(module.name());
    row.text_or_null(module.class_name);
    row.number(depths[id]);
    if (module.calls)
      row.number(*module.calls);
    else
      row.null();
    add_role(row, facts.role);
    add_layer(row, facts.layers);
    row.text_or_null(facts.tag);
    row.count(holdings[id].own_nodes);
    row.count(holdings[id].nodes);
    row.count(holdings[id].parameters);
    row.count(holdings[id].bytes);
    row.insert_row();
  }
}

void fill_nodes(const Map& map, Database& database) {
  const modules::ModuleTree& tree = map.tree();
  const onnx::Model& model = map.model();
  const std::string unknown_tag = map.tag_of_unknown();
  ModuleLists modules(map);
  Statement row = insert_into(database, "nodes", 22);
  for (onnx::GraphId graph = 0; graph < model.graphs().size(); ++graph) {
    const std::string label = model.graph_label(graph);
    const onnx::NodeId first = model.graphs()[graph].first_node;
    for (onnx::NodeId id = first; id < first + model.graphs()[graph].node_count; ++id) {
      const onnx::Node node = model.node(id);
      const resolve::Attribution& answer = map.answer(id);
      row.number(id);
      row.text(label);
      row.number(id - first);
      row.text(node.name());
      row.text(node.op_type());
      row.text(node.domain());
      add_path(row, tree, answer.module);
      row.text_or_null(answer.known() ? tree[answer.module].class_name : std::string_view());
      row.text_or_null(map.module_kind(id));
      if (const modules::CallNumber call = answer.call())
        row.number(*call);
      else
        row.null();
      row.text(modules.of(id));
      add_path(row, tree, answer.weight_owner);
      if (answer.known()) {
        const semantics::ModuleFacts& facts = map.facts(answer.module);
        add_path(row, tree, facts.hf_module);
        row.text_or_null(facts.tag);
        add_role(row, facts.role);
        add_layer(row, facts.layers);
        row.text(evidence::name_of(answer.source));
      } else {
        row.null();
        row.text_or_null(unknown_tag);
        for (int i = 0; i < 5; ++i) row.null();
      }
      row.real(std::round(answer.confidence * 1e4) / 1e4);  // as printed
      row.text(semantics::level_of(answer));
      row.text_or_null(map.reason(id));
      row.insert_row();
    }
  }
}

void fill_initializers(const Map& map, Database& database) {
  const onnx::Model& model = map.model();
  const std::vector<semantics::InitializerRow> rows = map.initializer_rows();
  const std::vector<weights::Weight> weights = weights::trace_weights(map);
  Statement row = insert_into(database, "initializers", 12);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const onnx::TensorView tensor = model.tensor(model.initializers()[i]);
    row.number(static_cast<std::int64_t>(i));
    row.text(model.graph_label(model.initializers()[i].graph));
    row.text(rows[i].name);
    row.text(onnx::data_type_name(tensor.data_type));
    row.text(base::format("[{}]", base::joined(tensor.dims, ",")));
    row.count(tensor.elements());
    row.count(tensor.bytes());
    add_path(row, map.tree(), rows[i].module);
    row.text_or_null(weights[i].holds_parameters() ? std::string_view(weights[i].parameters.front())
                                                   : std::string_view());
    row.text(list_of(map.tree(), rows[i].modules));
    row.text(list_of(weights[i].parameters));
    row.text_or_null(name_of(weights[i].transform));
    row.insert_row();
  }
}

void fill_evidence(const Map& map, Database& database) {
  Statement row = insert_into(database, "evidence", 6);
  for (std::size_t source = 0; source < evidence::source_count; ++source)
    for (const evidence::Evidence& one : map.evidence().of(static_cast<evidence::Source>(source))) {
      if (one.module == no_module) continue;
      row.number(one.node);
      row.text(evidence::name_of(one.source));
      row.text(map.own_tree()[one.module].path);
      if (one.call)
        row.number(*one.call);
      else
        row.null();
      row.text(evidence::name_of(one.strength));
      row.text(one.why);
      row.insert_row();
    }
}

}  // namespace thence::query
