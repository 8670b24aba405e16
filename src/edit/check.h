// Checks of what is written in a model: whether tags still fit, and what a pass did to nodes that were given
// an id each.
#pragma once

#include <string>
#include <vector>

#include "edit/splice.h"
#include "semantics/map.h"

namespace thence::edit {

/// What may be said against a node's tag.
enum class Fault {
  stale,         // the node was edited since
  no_module,     // the capture has no such module
  contradicted,  // other evidence in the file names another module
};
std::string_view name_of(Fault fault);

struct TagFinding {
  onnx::NodeId node;
  Fault fault;
  std::string tagged;    // the module in the tag
  std::string evidence;  // the module that other evidence names
};

struct TagReport {
  std::size_t nodes = 0, tagged = 0, stale = 0, no_module = 0, contradicted = 0;
  std::vector<TagFinding> findings;
};

/// Holds the tags against a map that was made as if there were none.
TagReport check_tags(const semantics::Map& without_tags);

/// The file with an id in every node: its place, such as `#61` or `12.then_branch#3`.
Splice with_ids(const onnx::Model& model);

/// What became of ids. Each is counted once, under the first that is true of it.
struct Survival {
  std::size_t ids = 0;       // in the file before
  std::size_t vanished = 0;  // no node has it
  std::size_t merged = 0;    // its node has others, too
  std::size_t copied = 0;    // several nodes have it
  std::size_t retyped = 0;   // its node has another operator
  std::size_t survived = 0;
  std::size_t nodes = 0;  // in the file after
  std::size_t fresh = 0;  // of them, without an id
};
Survival survival(const onnx::Model& before, const onnx::Model& after);

}  // namespace thence::edit
