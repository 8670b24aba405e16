#include "functions/fold_record.h"

#include "functions/folded_format.h"
#include "functions/limits.h"
#include "onnx/content_hash.h"

namespace thence::functions {
namespace {

using base::append_number;
using base::append_text;
using onnx::Graph;

// The version of the encoding.
constexpr std::uint64_t record_version = 1;
constexpr std::uint64_t imports_flag = 1, raised_flag = 2;

void append_values(std::string& out, const onnx::Model& model, std::span<const onnx::ValueId> values) {
  append_number(out, values.size());
  for (const onnx::ValueId value : values)
    append_text(out, value == onnx::none ? std::string_view() : model.value_name(value));
}

// Attributes and annotations do not count: if they were changed, the flat model gets the changed ones.
void append_structure(std::string& out, const onnx::Model& model, const Graph& graph) {
  if (graph.kind == Graph::Kind::function) {
    append_text(out, graph.name);
    append_values(out, model, graph.inputs);
    append_values(out, model, graph.outputs);
  }
  append_number(out, graph.node_count);
  for (onnx::NodeId id = graph.first_node; id < graph.first_node + graph.node_count; ++id) {
    const onnx::Node node = model.node(id);
    append_text(out, node.op_type());
    append_text(out, node.domain());
    append_values(out, model, node.inputs());
    append_values(out, model, node.outputs());
  }
}

}  // namespace

bool is_folded(const onnx::Model& model) {
  for (const Graph& graph : model.graphs())
    if (graph.kind == Graph::Kind::function && graph.domain == folded_domain) return true;
  return false;
}

std::uint64_t structure_hash(const onnx::Model& model) {
  std::string text;
  for (const Graph& graph : model.graphs())
    if (graph.kind == Graph::Kind::main ||
        (graph.kind == Graph::Kind::function && graph.domain == folded_domain))
      append_structure(text, model, graph);
  return onnx::hash_content(text, 1).exact;
}

void append_insertions(std::string& out, const std::vector<Insertion>& insertions) {
  append_number(out, insertions.size());
  for (const Insertion& insertion : insertions) {
    append_number(out, insertion.position);
    append_number(out, insertion.nodes);
    if (insertion.nodes == 0) append_text(out, insertion.bytes);
  }
}

std::vector<Insertion> read_insertions(base::PackedReader& reader) {
  std::vector<Insertion> insertions;
  for (std::uint64_t left = reader.number(); left > 0 && !reader.failed(); --left) {
    Insertion& insertion = insertions.emplace_back();
    insertion.position = reader.number();
    insertion.nodes = reader.number();
    if (insertion.nodes == 0) insertion.bytes = reader.text();
  }
  return insertions;
}

std::string format_record(const FoldRecord& record) {
  std::string out;
  append_number(out, record_version);
  append_number(out, record.structure);
  append_number(out, (record.imports_domain ? imports_flag : 0) | (record.raised_version ? raised_flag : 0));
  append_insertions(out, record.model_fields);
  append_number(out, record.graph_fields.size());
  for (const std::vector<Insertion>& fields : record.graph_fields) append_insertions(out, fields);
  append_number(out, record.order.size());
  for (const NodeRun& run : record.order) {
    append_number(out, run.first);
    append_number(out, run.count);
  }
  out.append(record.columns);
  return base::pack_text(out);
}

std::optional<FoldRecord> read_record(const onnx::Model& model) {
  std::string_view text;
  for (const onnx::MetadataEntry& entry : model.metadata())
    if (entry.key == record_key) text = entry.value;
  if (text.empty()) return std::nullopt;
  std::optional<std::string> bytes =
      base::unpack_text(text, max_expanded_bytes + max_expanded_ratio * text.size());
  if (!bytes) return std::nullopt;
  FoldRecord record;
  record.storage = std::make_shared<const std::string>(*std::move(bytes));
  base::PackedReader reader(*record.storage);
  if (reader.number() != record_version) return std::nullopt;
  record.structure = reader.number();
  const std::uint64_t flags = reader.number();
  record.imports_domain = (flags & imports_flag) != 0;
  record.raised_version = (flags & raised_flag) != 0;
  record.model_fields = read_insertions(reader);
  for (std::uint64_t left = reader.number(); left > 0 && !reader.failed(); --left)
    record.graph_fields.push_back(read_insertions(reader));
  for (std::uint64_t left = reader.number(); left > 0 && !reader.failed(); --left) {
    NodeRun& run = record.order.emplace_back();
    run.first = reader.number();
    run.count = reader.number();
  }
  if (reader.failed()) return std::nullopt;
  record.columns = reader.rest();
  return record;
}

}  // namespace thence::functions
