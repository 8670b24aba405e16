// Bodies: turns groups into functions. The inputs of a function are the values, including weights, that its
// group reads from outside; its outputs are the values that others read. Groups of one class that apply the
// same operations to other values share one function.
#pragma once

#include <string>
#include <vector>

#include "edit/partition.h"

namespace thence::edit {

using FunctionId = std::uint32_t;

struct Body {
  FunctionId function =
      onnx::none;  // none: the group is not folded, and its steps belong to the group around it
  std::vector<GroupStep> steps;
  std::vector<onnx::ValueId> values;  // all values, in order of first use
  std::vector<onnx::ValueId> inputs, outputs;
};

struct Function {
  std::string name;
  std::vector<GroupId> groups;  // the groups that it implements
  bool shared() const { return groups.size() > 1; }
};

struct Bodies {
  std::vector<Body> by_group;  // by group
  std::vector<Function> functions;
};

Bodies find_bodies(const semantics::Map& map, const MainGraph& graph, const CallTree& call_tree,
                   const Partition& partition);

}  // namespace thence::edit
