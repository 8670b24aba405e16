// Bodies: groups as functions. What a group reads from outside, weights among it, goes in; what others read
// of it comes out. Groups of one class that do the same with other values are one function.
#pragma once

#include <string>
#include <vector>

#include "edit/cut.h"

namespace thence::edit {

using FunctionId = std::uint32_t;

struct Body {
  FunctionId function =
      onnx::none;  // none: the group is not folded, and its steps are those of the one around
  std::vector<Step> steps;
  std::vector<onnx::ValueId> values;  // all, as they are met
  std::vector<onnx::ValueId> inputs, outputs;
};

struct Function {
  std::string name;
  std::vector<GroupId> groups;  // that it stands for
  bool shared() const { return groups.size() > 1; }
};

struct Bodies {
  std::vector<Body> of;  // by group
  std::vector<Function> functions;
};

Bodies find_bodies(const semantics::Map& map, const MainGraph& graph, const Places& places, const Cut& cut);

}  // namespace thence::edit
