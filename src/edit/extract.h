// Extract: the nodes of one module, as a model of its own that runs: with its weights and no others.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "edit/splice.h"
#include "semantics/map.h"

namespace thence::edit {

/// What a value holds: the bytes of a TypeProto.
using Types = std::unordered_map<std::string, std::string>;

/// The types that the file itself tells, of the main graph's values.
Types types_in(const onnx::Model& model);

/// Adds the types of a JSON object: {"name": {"elem_type": 1, "shape": [1, "batch", null]}}; a shape may be
/// missing.
std::optional<Error> add_types(const std::string& file, Types& types);
/// The same of the object's text; `file` is what an error names.
std::optional<Error> add_types_of(std::string_view json, const std::string& file, Types& types);

struct Boundary {
  onnx::ValueId value;
  std::string name;  // in the extracted model
};

/// A module's part of the main graph.
struct Part {
  modules::ModuleId module = modules::root;
  std::vector<onnx::NodeId> nodes;          // of the main graph, in the order of the file
  std::vector<std::uint32_t> initializers;  // that they read
  std::vector<Boundary> inputs, outputs;
  std::uint32_t call = 0, calls = 1;
  std::vector<std::string> untyped;  // inputs and outputs whose type nobody told
};

struct ExtractOptions {
  std::string module;
  std::optional<std::size_t> call;  // which call, of a module that runs several times
  bool keep_names = false;  // values at the edge keep their names; otherwise they are called after the module
};

/// Which nodes a module is made of, and where its edge is.
Result<Part> find_part(const semantics::Map& map, const ExtractOptions& options, const Types& types);

/// The part as a model. The map outlives the splice.
Splice extracted(const semantics::Map& map, const Part& part, const Types& types);

}  // namespace thence::edit
