// Extract: makes a runnable model from the nodes of one module, with only the weights that it reads.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "semantics/map.h"
#include "wire/splice.h"

namespace thence::edit {

/// The types of values by name, as the bytes of a TypeProto.
using Types = std::unordered_map<std::string, std::string>;

/// The types that the file gives for values of the main graph.
Types types_of_model(const onnx::Model& model);

/// Adds the types of a JSON object: {"name": {"elem_type": 1, "shape": [1, "batch", null]}}. The shape is
/// optional.
std::optional<Error> add_types_from_file(const std::string& file, Types& types);
/// The same for the text of the object. Errors name `file`.
std::optional<Error> add_types_from_json(std::string_view json, const std::string& file, Types& types);

struct Boundary {
  onnx::ValueId value;
  std::string name;  // in the extracted model
};

/// The part of the main graph that belongs to a module.
struct Subgraph {
  modules::ModuleId module = modules::root;
  std::vector<onnx::NodeId> nodes;          // of the main graph, in file order
  std::vector<std::uint32_t> initializers;  // that the nodes read
  std::vector<Boundary> inputs, outputs;
  std::uint32_t call = 0, calls = 1;
  std::size_t unplaced_nodes = 0;    // of the module, left out because their call is unknown
  std::vector<std::string> untyped;  // inputs and outputs of unknown type
};

struct ExtractOptions {
  std::string module;
  std::optional<std::size_t> call;  // the call, for a module that runs several times
  bool keep_names = false;  // inputs and outputs keep their names; otherwise they are named after the module
};

/// Finds the nodes of a module, and its inputs and outputs.
Result<Subgraph> find_subgraph(const semantics::Map& map, const ExtractOptions& options, const Types& types);

/// Makes a model of the part. The map must outlive the splice.
wire::Splice extract_model(const semantics::Map& map, const Subgraph& part, const Types& types);

}  // namespace thence::edit
