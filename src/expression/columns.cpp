#include "expression/columns.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace thence::expression {
namespace {

using modules::ModuleId;
using modules::no_module;

void add_if_known(std::string_view text, Value& value) {
  if (!text.empty()) value.texts.push_back(text);
}

// A module has its path and the aliases that no call was made by, which are separate modules. The path of
// the root is empty, and printed as (root).
void read_path(const semantics::Map& map, ModuleId module, Value& value) {
  if (module == no_module) return;
  const modules::Module& one = map.tree()[module];
  value.texts.push_back(one.path);
  if (module == modules::root) value.texts.push_back("(root)");
  for (const std::string_view alias : one.aliases)
    if (map.tree().find(alias) == module) value.texts.push_back(alias);
}

// Columns of the node and its verdict.

void read_graph(ColumnReader& reader, Subject subject, Value& value) {
  value.texts.push_back(reader.graph_label(reader.map.model().node(subject.node).graph()));
}
void read_index(ColumnReader& reader, Subject subject, Value& value) {
  value.number = reader.map.model().node(subject.node).index();
}
void read_name(ColumnReader& reader, Subject subject, Value& value) {
  value.texts.push_back(reader.map.model().node(subject.node).name());
}
void read_op_type(ColumnReader& reader, Subject subject, Value& value) {
  value.texts.push_back(reader.map.model().node(subject.node).op_type());
}
void read_domain(ColumnReader& reader, Subject subject, Value& value) {
  value.texts.push_back(reader.map.model().node(subject.node).domain());
}
void read_module_kind(ColumnReader& reader, Subject subject, Value& value) {
  const std::string_view kind = reader.map.module_kind(subject.node);
  if (!kind.empty()) value.texts.push_back(kind);
}
void read_call(ColumnReader& reader, Subject subject, Value& value) {
  const resolve::Attribution& answer = reader.map.answer(subject.node);
  if (const modules::CallNumber call = answer.call()) value.number = *call;
}
void read_weight_owner(ColumnReader& reader, Subject subject, Value& value) {
  read_path(reader.map, reader.map.answer(subject.node).weight_owner, value);
}
void read_source(ColumnReader& reader, Subject subject, Value& value) {
  const resolve::Attribution& answer = reader.map.answer(subject.node);
  if (answer.known()) value.texts.push_back(evidence::name_of(answer.source));
}
void read_proof(ColumnReader& reader, Subject subject, Value& value) {
  const semantics::Map& map = reader.map;
  if (map.ancestor() != nullptr && map.answer(subject.node).known())
    value.texts.push_back(evidence::name_of(map.ancestor()->answers[subject.node].strength));
}
void read_confidence(ColumnReader& reader, Subject subject, Value& value) {
  value.number = std::round(reader.map.answer(subject.node).confidence * 1e4) / 1e4;  // as printed
}
void read_level(ColumnReader& reader, Subject subject, Value& value) {
  value.texts.push_back(semantics::level_of(reader.map.answer(subject.node)));
}
void read_reason(ColumnReader& reader, Subject subject, Value& value) {
  add_if_known(reader.map.reason(subject.node), value);
}

// Columns of a module.

void read_module(ColumnReader& reader, Subject subject, Value& value) {
  read_path(reader.map, subject.module, value);
}
void read_module_class(ColumnReader& reader, Subject subject, Value& value) {
  if (subject.module == no_module) return;
  const std::string_view name = reader.map.tree()[subject.module].class_name;
  add_if_known(name, value);
  if (const std::string_view bare = modules::short_class(name); bare != name) add_if_known(bare, value);
}
void read_hf_module(ColumnReader& reader, Subject subject, Value& value) {
  if (subject.module != no_module) read_path(reader.map, reader.map.hf_module(subject.module), value);
}
void read_tag(ColumnReader& reader, Subject subject, Value& value) {
  add_if_known(reader.keep(subject.module == no_module ? reader.map.tag_of_unknown()
                                                       : reader.map.facts(subject.module).tag),
               value);
}
// A role is its type, its classification or its operation, and what `thence map` prints: the type and the
// component.
void read_role(ColumnReader& reader, Subject subject, Value& value) {
  if (subject.module == no_module) return;
  const semantics::Role role = reader.map.role(subject.module);
  add_if_known(role.type, value);
  if (role.classification != role.type) add_if_known(role.classification, value);
  if (role.operation != role.type && role.operation != role.classification)
    add_if_known(role.operation, value);
  if (!role.component.empty())
    value.texts.push_back(role.type.empty() ? role.component
                                            : reader.keep(base::format("{} {}", role.type, role.component)));
}
void read_semantic_type(ColumnReader& reader, Subject subject, Value& value) {
  if (subject.module != no_module) add_if_known(reader.map.role(subject.module).type, value);
}
void read_component(ColumnReader& reader, Subject subject, Value& value) {
  if (subject.module == no_module) return;
  const semantics::Role role = reader.map.role(subject.module);
  add_if_known(role.component, value);
  for (const std::string& part : role.component_parts) value.texts.push_back(part);
}
void read_layer_id(ColumnReader& reader, Subject subject, Value& value) {
  if (subject.module == no_module) return;
  const std::vector<modules::LayerStep> layers = reader.map.layers(subject.module);
  if (layers.empty()) return;
  const auto index = static_cast<double>(layers.front().index);
  value.number = index;
  value.from_end = index - static_cast<double>(reader.layer_counts().of(layers.front()));
}

}  // namespace

const semantics::LayerCounts& ColumnReader::layer_counts() {
  if (!layer_counts_) layer_counts_.emplace(map);
  return *layer_counts_;
}

const std::string& ColumnReader::graph_label(onnx::GraphId graph) {
  if (labelled_graph_ != graph) label_ = map.model().graph_label(graph);
  labelled_graph_ = graph;
  return label_;
}

const std::vector<Column>& all_columns() {
  using enum Scope;
  using enum Type;
  static const std::vector<Column> columns = {
      {"graph", word, node, Vocabulary::any, read_graph},
      {"index", number, node, Vocabulary::any, read_index},
      {"name", word, node, Vocabulary::any, read_name},
      {"op_type", word, node, Vocabulary::operators, read_op_type},
      {"domain", word, node, Vocabulary::domains, read_domain},
      {"module", path, module, Vocabulary::modules, read_module},
      {"module_class", class_name, module, Vocabulary::classes, read_module_class},
      {"module_kind", word, node, Vocabulary::module_kinds, read_module_kind},
      {"call", number, node, Vocabulary::any, read_call},
      {"modules", path, members, Vocabulary::modules, read_module},
      {"weight_owner", path, node, Vocabulary::modules, read_weight_owner},
      {"hf_module", path, module, Vocabulary::modules, read_hf_module},
      {"tag", word, module, Vocabulary::any, read_tag},
      {"role", word, module, Vocabulary::roles, read_role},
      {"semantic_type", word, module, Vocabulary::types, read_semantic_type},
      {"component", word, module, Vocabulary::components, read_component},
      {"layer_id", number, module, Vocabulary::any, read_layer_id},
      {"source", word, node, Vocabulary::sources, read_source},
      {"proof", word, node, Vocabulary::any, read_proof},
      {"confidence", number, node, Vocabulary::any, read_confidence},
      {"level", word, node, Vocabulary::levels, read_level},
      {"reason", word, node, Vocabulary::reasons, read_reason},
      {"under", path, members, Vocabulary::modules, read_module, true},
      {"member", path, members, Vocabulary::modules, read_module},
  };
  return columns;
}

const Column* find_column(std::string_view name) {
  const std::vector<Column>& all = all_columns();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Column& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace thence::expression
