#include "output/columns.h"

#include <algorithm>

#include "base/format.h"
#include "base/nearest_names.h"
#include "base/text.h"

namespace thence::output {
namespace {

using modules::ModuleId;
using modules::no_module;
using onnx::NodeId;
using semantics::Map;

// The path of the root is empty, but an empty cell means unknown.
void append_path(const Map& map, ModuleId module, std::string& out) {
  if (module != no_module) out += module == modules::root ? "(root)" : map.tree()[module].path;
}

void append_joined(std::string_view first, std::string_view second, std::string& out) {
  out += first;
  if (!first.empty() && !second.empty()) out += ' ';
  out += second;
}

// Columns of the node, its operator and its graph.

void append_graph(ColumnReader& reader, NodeId node, std::string& out) {
  const onnx::Model& model = reader.map.model();
  out += model.graph_label(model.node(node).graph());
}
void append_index(ColumnReader& reader, NodeId node, std::string& out) {
  base::append_integer(out, reader.map.model().node(node).index());
}
void append_name(ColumnReader& reader, NodeId node, std::string& out) {
  out += reader.map.model().node(node).name();
}
void append_op_type(ColumnReader& reader, NodeId node, std::string& out) {
  out += reader.map.model().node(node).op_type();
}
void append_domain(ColumnReader& reader, NodeId node, std::string& out) {
  out += reader.map.model().node(node).domain();
}

// Columns of its module.

void append_module(ColumnReader& reader, NodeId node, std::string& out) {
  append_path(reader.map, reader.map.answer(node).module, out);
}
void append_module_class(ColumnReader& reader, NodeId node, std::string& out) {
  const resolve::Attribution& answer = reader.map.answer(node);
  if (answer.known()) out += reader.map.tree()[answer.module].class_name;
}
void append_module_kind(ColumnReader& reader, NodeId node, std::string& out) {
  out += reader.map.module_kind(node);
}
void append_call(ColumnReader& reader, NodeId node, std::string& out) {
  const resolve::Attribution& answer = reader.map.answer(node);
  if (const modules::CallNumber call = answer.call()) base::append_integer(out, *call);
}
void append_modules(ColumnReader& reader, NodeId node, std::string& out) {
  if (reader.map.answer(node).module_set == 0) return append_module(reader, node, out);
  bool first = true;
  for (const ModuleId module : reader.map.modules_of(node)) {
    if (!first) out += ' ';
    first = false;
    append_path(reader.map, module, out);
  }
}
void append_weight_owner(ColumnReader& reader, NodeId node, std::string& out) {
  append_path(reader.map, reader.map.answer(node).weight_owner, out);
}
void append_hf_module(ColumnReader& reader, NodeId node, std::string& out) {
  if (reader.map.answer(node).known()) append_path(reader.map, reader.facts(node).hf_module, out);
}
void append_tag(ColumnReader& reader, NodeId node, std::string& out) {
  out += reader.map.answer(node).known() ? reader.facts(node).tag : reader.map.tag_of_unknown();
}
void append_role(ColumnReader& reader, NodeId node, std::string& out) {
  if (!reader.map.answer(node).known()) return;
  const semantics::Role role = reader.facts(node).role;
  append_joined(role.type, role.component, out);
}
void append_semantic_type(ColumnReader& reader, NodeId node, std::string& out) {
  if (reader.map.answer(node).known()) out += reader.facts(node).role.type;
}
void append_component(ColumnReader& reader, NodeId node, std::string& out) {
  if (reader.map.answer(node).known()) out += reader.facts(node).role.component;
}
void append_layer_id(ColumnReader& reader, NodeId node, std::string& out) {
  if (!reader.map.answer(node).known()) return;
  const std::vector<modules::LayerStep>& layers = reader.facts(node).layers;
  if (!layers.empty()) base::append_integer(out, layers.front().index);
}

// Columns of the verdict.

void append_source(ColumnReader& reader, NodeId node, std::string& out) {
  const resolve::Attribution& answer = reader.map.answer(node);
  if (answer.known()) out += evidence::name_of(answer.source);
}
void append_proof(ColumnReader& reader, NodeId node, std::string& out) {
  const Map& map = reader.map;
  if (map.ancestor() != nullptr && map.answer(node).known())
    out += evidence::name_of(map.ancestor()->answers[node].strength);
}
void append_confidence(ColumnReader& reader, NodeId node, std::string& out) {
  base::append_format(out, "{:.4g}", reader.map.answer(node).confidence);
}
void append_level(ColumnReader& reader, NodeId node, std::string& out) {
  out += semantics::level_of(reader.map.answer(node));
}
void append_reason(ColumnReader& reader, NodeId node, std::string& out) { out += reader.map.reason(node); }

}  // namespace

const semantics::ModuleFacts& ColumnReader::facts(NodeId node) {
  const ModuleId module = map.answer(node).module;
  CachedFacts& cached = cache_[module % cache_.size()];
  if (cached.module != module) {
    map.read_facts(module, roles_, cached.facts);
    cached.module = module;
  }
  return cached.facts;
}

const std::vector<Column>& all_columns() {
  using enum ColumnScope;
  static const std::vector<Column> columns = {
      {"graph", "the graph: empty for the main one", graph, append_graph},
      {"index", "place in its graph", number, append_index},
      {"name", "the node's name", node, append_name},
      {"op_type", "what it computes", op, append_op_type},
      {"domain", "the operator's domain", op, append_domain},
      {"module", "the module that ran it", module, append_module},
      {"module_class", "that module's class", module, append_module_class},
      {"module_kind", "module, or a scope of the file's writer", module, append_module_kind},
      {"call", "which call of the module", modules, append_call},
      {"modules", "every module it belongs to", modules, append_modules},
      {"weight_owner", "whose largest parameter it reads", modules, append_weight_owner},
      {"hf_module", "nearest module not from torch.nn", module, append_hf_module},
      {"tag", "class path of hf_module", module, append_tag},
      {"role", "semantic type and component", module, append_role},
      {"semantic_type", "kind of part", module, append_semantic_type},
      {"component", "its place in that part", module, append_component},
      {"layer_id", "index of the outermost repeated block", module, append_layer_id},
      {"source", "the evidence that won", verdict, append_source},
      {"proof", "how a transferred node is proven", verdict, append_proof},
      {"confidence", "how sure, from 0 to 1", verdict, append_confidence},
      {"level", "high, medium, low or none", verdict, append_level},
      {"reason", "why something is missing", verdict, append_reason},
  };
  return columns;
}

Result<std::vector<Column>> find_columns(const std::vector<std::string>& names) {
  std::vector<Column> found;
  for (const std::string& name : names) {
    const auto& all = all_columns();
    const auto column = std::find_if(all.begin(), all.end(), [&](const Column& c) { return c.name == name; });
    if (column == all.end()) {
      std::vector<std::string_view> known;
      for (const Column& c : all) known.push_back(c.name);
      const std::string_view nearest = base::nearest_word(name, known);
      return Error{
          ErrorKind::usage, "U005", base::format("unknown column '{}'", base::printable(name)),
          base::format("{}{}columns: {}", nearest.empty() ? "" : "the nearest: ",
                       nearest.empty() ? "" : std::string(nearest) + "; ", base::joined(known, ", "))};
    }
    found.push_back(*column);
  }
  return found;
}

}  // namespace thence::output
