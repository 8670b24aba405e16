// FoldRecord: what a flat model had that its folded form does not show. `thence fold` writes it into the
// metadata of the model, so that the flat model can be restored byte by byte.
//
// The record cannot change what the model computes: it has names, annotations (doc strings, metadata), value
// infos, the IR version, and the order of fields. Operators, attributes and connections are those of the
// folded nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/packed_text.h"
#include "onnx/model.h"

namespace thence::functions {

/// Encoded fields that were before the field with this index, counted without those that were added, moved
/// or removed.
struct Insertion {
  std::uint64_t position = 0;
  std::string_view bytes;   // in a graph: empty if it stands for nodes
  std::uint64_t nodes = 0;  // in a graph: the number of nodes that were here
};

/// Nodes that were consecutive, and are consecutive if the functions are expanded depth-first.
struct NodeRun {
  std::uint64_t first = 0, count = 0;
};

struct FoldRecord {
  std::uint64_t structure = 0;          // structure_hash() of the folded model
  bool imports_domain = false;          // whether the flat model imports the domain of the functions
  bool raised_version = false;          // whether folding raised the IR version
  std::vector<Insertion> model_fields;  // the original IR version, if it was raised
  std::vector<std::vector<Insertion>> graph_fields;  // for each piece of the graph
  std::vector<NodeRun> order;
  /// The rest of the record, for each function that several modules share and for each of its nodes: the
  /// name of each output that is no output of the function, for each instance of the function; then the
  /// annotations, for each instance. Instances are in depth-first order.
  std::string_view columns;
  std::shared_ptr<const std::string> storage;  // owns the texts, if they were read
};

/// The hash of the operators and connections of the main graph and the folded functions. If it differs, a
/// tool has changed the model after folding, and the record no longer applies.
std::uint64_t structure_hash(const onnx::Model& model);

/// The value of the metadata entry. `columns` may be elsewhere.
std::string format_record(const FoldRecord& record);
/// Empty if there is no record or it is invalid.
std::optional<FoldRecord> read_record(const onnx::Model& model);

void append_insertions(std::string& out, const std::vector<Insertion>& insertions);
std::vector<Insertion> read_insertions(base::PackedReader& reader);

}  // namespace thence::functions
