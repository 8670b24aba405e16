// A map as JSON: the documents. json_rows.h writes the rows of nodes.

#include <algorithm>

#include "output/formats.h"
#include "output/json_parts.h"
#include "output/json_rows.h"
#include "output/named_initializers.h"
#include "output/ordered_pieces.h"
#include "output/other_formats.h"
#include "output/verification.h"

namespace thence::output {
namespace {

using base::JsonWriter;
using modules::ModuleId;
using modules::no_module;
using semantics::Map;

void write_header(const Map& map, JsonWriter& json) {
  const onnx::Model& model = map.model();
  json.member<"schema">("thence.map/1");
  json.member<"strategy">(map.strategy().name);
  json.begin_object<"model">();
  json.member<"file">(model.file());
  std::string producer(model.producer_name());
  if (!model.producer_version().empty())
    producer += (producer.empty() ? "" : " ") + std::string(model.producer_version());
  json.member<"producer">(producer);
  json.member<"ir_version">(model.ir_version());
  std::int64_t opset = -1;
  for (const onnx::Opset& import : model.opsets())
    if (import.domain.empty() || import.domain == "ai.onnx") opset = import.version;
  json.key<"opset">();
  opset < 0 ? json.null() : json.value(opset);
  json.end_object();
}

void write_module(const modules::Module& module, JsonWriter& json) {
  json.begin_object();
  json.member<"path">(module.path);
  json.member_or_null<"class">(module.class_name);
  json.array<"aliases">(module.aliases);
  json.key<"calls">();
  module.calls ? json.value(*module.calls) : json.null();
  json.end_object();
}

// Writes elements of an array that has just begun.
void write_modules(const Map& map, unsigned jobs, base::Writer& out) {
  constexpr std::size_t modules_per_piece = 2048;
  const std::size_t modules = map.tree().size();
  write_pieces_in_order((modules + modules_per_piece - 1) / modules_per_piece, jobs, out, [&]() -> MakePiece {
    return [&](std::size_t piece, std::string& text) {
      const std::size_t past = std::min(modules, (piece + 1) * modules_per_piece);
      JsonWriter json(text, piece == 0 ? JsonWriter::Position::start : JsonWriter::Position::after_item);
      for (std::size_t id = piece * modules_per_piece; id < past; ++id) {
        json.new_line();
        write_module(map.tree()[static_cast<ModuleId>(id)], json);
      }
    };
  });
}

void write_initializer(const Map& map, const semantics::InitializerRow& row, JsonWriter& json) {
  json.begin_object();
  json.member<"name">(row.name);
  json.key<"module">();
  row.module == no_module ? json.null() : json.value(map.tree()[row.module].path);
  json.member_or_null<"parameter">(row.parameter);
  json.begin_array<"modules">();
  for (const ModuleId module : row.modules) json.value(map.tree()[module].path);
  json.end_array();
  json.end_object();
}

void write_summary(const semantics::Summary& summary, JsonWriter& json) {
  json.begin_object<"summary">();
  json.member<"nodes">(summary.nodes);
  json.member<"direct">(summary.direct);
  json.member<"inferred">(summary.inferred);
  json.member<"unknown">(summary.unknown);
  write_by_source(json, summary);
  json.begin_object<"modules">();
  json.member<"all">(summary.modules);
  json.member<"executed">(summary.executed);
  json.end_object();
  json.end_object();
}

void write_diagnostics(const Map& map, JsonWriter& json) {
  json.begin_array<"diagnostics">();
  for (const Diagnostic& diagnostic : map.diagnostics().kept()) {
    json.new_line();
    json.begin_object();
    json.member<"code">(diagnostic.code);
    json.member<"where">(diagnostic.where);
    json.member<"text">(diagnostic.text);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void write_map_json(const Map& map, unsigned jobs, base::Writer& out,
                    const std::vector<weights::Weight>* known) {
  JsonWriter json(out.buffer());
  json.begin_object();
  write_header(map, json);
  json.new_line();
  json.begin_array<"modules">();
  write_modules(map, jobs, out);
  json.end_array();
  json.new_line();
  json.begin_array<"nodes">();
  write_json_rows(map, Nodes(map.model()), jobs, RowLayout::array, LayerSteps::pairs, out);
  json.end_array();
  json.new_line();
  json.begin_array<"initializers">();
  const NamedInitializers named(map, known);
  for (const semantics::InitializerRow& row : named.rows) {
    json.new_line();
    write_initializer(map, row, json);
    out.flush_if_full();
  }
  json.end_array();
  json.new_line();
  write_summary(map.summary(), json);
  write_verification(map, json);
  json.new_line();
  write_diagnostics(map, json);
  json.end_object();
  out.add("\n");
  out.flush();
}

void write_map_jsonl(const Map& map, const Nodes& nodes, unsigned jobs, base::Writer& out) {
  write_json_rows(map, nodes, jobs, RowLayout::lines, LayerSteps::pairs, out);
  out.flush();
}

void write_query_json(const Map& map, const Nodes& nodes, unsigned jobs, base::Writer& out) {
  JsonWriter json(out.buffer());
  json.begin_object();
  json.member<"schema">("thence.query/1");
  json.member<"model">(map.model().file());
  json.new_line();
  json.begin_array<"nodes">();
  write_json_rows(map, nodes, jobs, RowLayout::array, LayerSteps::pairs, out);
  json.end_array();
  json.end_object();
  out.add("\n");
  out.flush();
}

void write_map_records(const Map& map, unsigned jobs, base::Writer& out) {
  write_json_rows(map, Nodes(map.model()), jobs, RowLayout::lines, LayerSteps::objects, out);
  out.flush();
}

}  // namespace thence::output
