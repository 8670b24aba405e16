// Checks of the tags in a model: whether tags still match their nodes, and how a pass changed nodes that have
// ids.
#pragma once

#include <string>
#include <vector>

#include "semantics/map.h"
#include "wire/splice.h"

namespace thence::edit {

/// What can be wrong with the tag of a node.
enum class TagFault {
  stale,         // the node was edited after tagging
  no_module,     // the capture has no such module
  contradicted,  // other evidence in the file names another module
};
std::string_view name_of(TagFault fault);

struct TagFinding {
  onnx::NodeId node;
  TagFault fault;
  std::string tagged;    // the module in the tag
  std::string evidence;  // the module that other evidence names
};

struct TagReport {
  std::size_t nodes = 0, tagged = 0, stale = 0, no_module = 0, contradicted = 0;
  std::vector<TagFinding> findings;
};

/// Compares the tags with a map that was made without reading them.
TagReport check_tags(const semantics::Map& without_tags);

/// Returns the file with an id in every node: its location, such as `#61` or `12.then_branch#3`.
wire::Splice add_ids(const onnx::Model& model);

/// What happened to the ids. Each id is counted once, in the first category that applies.
struct Survival {
  std::size_t ids = 0;       // in the original file
  std::size_t vanished = 0;  // no node has it
  std::size_t merged = 0;    // its node has other ids as well
  std::size_t copied = 0;    // several nodes have it
  std::size_t retyped = 0;   // its node has another operator
  std::size_t survived = 0;
  std::size_t nodes = 0;  // in the new file
  std::size_t fresh = 0;  // nodes without an id
};
Survival count_survivors(const onnx::Model& before, const onnx::Model& after);

}  // namespace thence::edit
