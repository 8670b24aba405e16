// A truth file: which module really produced each node of a model (schema/truth.schema.json). Never the
// output of this program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "modules/module_tree.h"

namespace thence::score {

struct TrueNode {
  std::string graph;
  std::uint32_t index = 0;
  modules::ModuleId module = modules::no_module;  // in Truth::tree; none: nobody knows
  std::vector<std::string> accept;                // other paths that are right as well
  std::string kind;  // what it works on: data, shape or constant; empty: not told
};

struct Truth {
  modules::ModuleTree tree;
  std::vector<TrueNode> nodes;  // as the map's rows
};

Result<Truth> open_truth(const std::string& path);
Result<Truth> read_truth(std::string_view text, const std::string& label);

}  // namespace thence::score
