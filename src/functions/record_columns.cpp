#include "functions/record_columns.h"

#include "onnx/layout.h"
#include "wire/fields.h"

namespace thence::functions {

using onnx::Graph;
using onnx::GraphId;
using onnx::NodeField;
using wire::bytes_tag;

namespace {

// Anything else would change what the node computes.
bool are_annotations(std::string_view fields) {
  wire::Fields field(fields);
  while (field.next())
    if (field.tag() != bytes_tag(NodeField::name) && field.tag() != bytes_tag(NodeField::doc_string) &&
        field.tag() != bytes_tag(NodeField::metadata_props))
      return false;
  return field.fault() == wire::Fault::none;
}

}  // namespace

std::optional<RecordColumns> RecordColumns::read(const onnx::Model& model, const CallGraph& calls,
                                                 const FoldRecord& record) {
  RecordColumns columns;
  columns.function_outputs_.assign(model.value_count(), false);
  columns.first_name_.assign(model.node_count(), 0);
  columns.first_annotation_.assign(model.node_count(), 0);
  base::PackedReader reader(record.columns);
  for (GraphId id = 0; id < model.graphs().size(); id = calls.end_of(id)) {
    if (!calls.is_expanded(id) || calls.instances(id) < 2) continue;
    const Graph& function = model.graphs()[id];
    for (const onnx::ValueId value : function.outputs) columns.function_outputs_[value] = true;
    for (onnx::NodeId node = function.first_node; node < function.first_node + function.node_count; ++node)
      if (!columns.read_node(model.node(node), calls.callee(node) != onnx::none, calls.instances(id), reader))
        return std::nullopt;
  }
  columns.annotation_starts_.push_back(columns.annotations_.size());
  if (!reader.at_end()) return std::nullopt;
  return columns;
}

bool RecordColumns::read_node(const onnx::Node& node, bool is_call, std::uint64_t instances,
                              base::PackedReader& reader) {
  first_name_[node.id()] = names_.size();
  first_annotation_[node.id()] = annotation_starts_.size();
  for (const onnx::ValueId output : node.outputs()) {
    if (output == onnx::none || function_outputs_[output]) continue;
    for (std::uint64_t i = 0; i < instances; ++i) {
      names_.push_back(reader.text());
      if (names_.back().empty()) return false;  // also at the end of the record
    }
  }
  for (std::uint64_t i = 0; i < instances && !is_call; ++i) {
    annotation_starts_.push_back(annotations_.size());
    for (const Insertion& insertion : read_insertions(reader)) {
      if (insertion.nodes != 0 || !are_annotations(insertion.bytes)) return false;
      annotations_.push_back(insertion);
    }
    if (reader.failed()) return false;
  }
  return !reader.failed();
}

}  // namespace thence::functions
