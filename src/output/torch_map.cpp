// schema/torch-map.schema.json: nodes and modules, initializers and parameters, by their names alone.
#include "base/text_index.h"
#include "output/by_module.h"
#include "output/json_text.h"
#include "output/node_names.h"
#include "output/other_formats.h"

namespace thence::output {

void write_torch_map(const semantics::Map& map, base::Writer& out) {
  std::string& text = out.buffer();
  NodeNames names(map.model());
  text += "{\"schema\":\"thence.torch-map/1\",\n\"nodes\":{";
  for (onnx::NodeId id = 0; id < map.model().node_count() && out.ok(); ++id) {
    out.add(id == 0 ? "\n" : ",\n");
    append_json_string(text, names.of(id));
    text += ':';
    if (map.answer(id).known())
      append_json_string(text, map.tree()[map.answer(id).module].path);
    else
      text += "null";
  }
  text += "},\n\"modules\":{";
  const NodesByModule nodes(map);
  for (modules::ModuleId module = 0; module < map.tree().size() && out.ok(); ++module) {
    out.add(module == 0 ? "\n" : ",\n");
    append_json_string(text, map.tree()[module].path);
    text += ":[";
    bool first = true;
    for (const onnx::NodeId id : nodes.of(module)) {
      out.add(first ? "" : ",");
      first = false;
      append_json_string(text, names.of(id));
    }
    text += ']';
  }
  text += "},\n\"initializers\":{";
  // Bodies may have initializers of the same name: the outermost counts.
  const std::vector<semantics::InitializerRow> rows = map.initializer_rows();
  base::TextIndex told;
  for (std::uint32_t i = 0; i < rows.size() && out.ok(); ++i) {
    if (told.find(rows[i].name, [&](std::uint32_t row) { return rows[row].name; }) !=
        base::TextIndex::nothing)
      continue;
    out.add(told.size() == 0 ? "\n" : ",\n");
    told.add(rows[i].name, i);
    append_json_string(text, rows[i].name);
    text += ':';
    append_json_string_or_null(text, rows[i].parameter);
  }
  out.add("}}\n");
  out.flush();
}

}  // namespace thence::output
