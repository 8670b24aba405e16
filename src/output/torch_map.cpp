// schema/torch-map.schema.json: nodes and modules, initializers and parameters, by name only.
#include <unordered_map>
#include <unordered_set>

#include "base/json_writer.h"
#include "base/text_index.h"
#include "output/named_initializers.h"
#include "output/node_names.h"
#include "output/nodes_by_module.h"
#include "output/other_formats.h"

namespace thence::output {

namespace {

using base::JsonWriter;

// Graphs with the label of another one: functions of the same name, and bodies that are given twice. Labels are
// long, so only their hashes are kept; one that is in the set by chance costs nothing but time.
std::vector<bool> graphs_of_repeated_label(const onnx::Model& model) {
  std::unordered_map<std::uint64_t, onnx::GraphId> first;
  std::vector<bool> repeated(model.graphs().size());
  for (onnx::GraphId id = 0; id < repeated.size(); ++id) {
    const auto [other, is_new] = first.try_emplace(base::text_hash(model.graph_label(id), 0), id);
    if (!is_new) repeated[id] = repeated[other->second] = true;
  }
  return repeated;
}

// Of nodes with the same location, the first counts: a key must not repeat.
void write_nodes(const semantics::Map& map, NodeNames& names, JsonWriter& json, base::Writer& out) {
  const std::vector<bool> repeated = graphs_of_repeated_label(map.model());
  std::unordered_set<std::string> written;
  json.begin_object<"nodes">();
  for (onnx::NodeId id = 0; id < map.model().node_count() && out.ok(); ++id) {
    const std::string name = names.of(id);
    if (repeated[map.model().node(id).graph()] && !written.insert(name).second) continue;
    json.new_line();
    json.key(name);
    map.answer(id).known() ? json.value(map.tree()[map.answer(id).module].path) : json.null();
    out.flush_if_full();
  }
  json.end_object();
}

void write_modules(const semantics::Map& map, NodeNames& names, JsonWriter& json, base::Writer& out) {
  const NodesByModule nodes(map);
  json.begin_object<"modules">();
  for (modules::ModuleId module = 0; module < map.tree().size() && out.ok(); ++module) {
    json.new_line();
    json.key(map.tree()[module].path);
    json.begin_array();
    for (const onnx::NodeId id : nodes.of(module)) {
      json.value(names.of(id));
      out.flush_if_full();
    }
    json.end_array();
  }
  json.end_object();
}

// If bodies have initializers of the same name, the outermost counts.
void write_initializers(const semantics::Map& map, JsonWriter& json, base::Writer& out) {
  const NamedInitializers named(map);
  const std::vector<semantics::InitializerRow>& rows = named.rows;
  base::TextIndex written;
  json.begin_object<"initializers">();
  for (std::uint32_t i = 0; i < rows.size() && out.ok(); ++i) {
    if (written.find_or_add(rows[i].name, i, [&](std::uint32_t row) { return rows[row].name; }) != i)
      continue;
    json.new_line();
    json.key(rows[i].name);
    json.value_or_null(rows[i].parameter);
    out.flush_if_full();
  }
  json.end_object();
}

}  // namespace

void write_torch_map(const semantics::Map& map, base::Writer& out) {
  NodeNames names(map.model());
  JsonWriter json(out.buffer());
  json.begin_object();
  json.member<"schema">("thence.torch-map/1");
  json.new_line();
  write_nodes(map, names, json, out);
  json.new_line();
  write_modules(map, names, json, out);
  json.new_line();
  write_initializers(map, json, out);
  json.end_object();
  out.add("\n");
  out.flush();
}

}  // namespace thence::output
