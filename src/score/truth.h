// A truth file: the module that really produced each node of a model (schema/truth.schema.json). It is never
// an output of this program.
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
  modules::ModuleId module = modules::no_module;  // in Truth::tree; no_module if unknown
  std::vector<std::string> accept;                // other correct paths
  std::string kind;                               // data, shape or constant; empty if not given
  std::vector<std::uint32_t> calls;               // correct calls of the module; empty if not recorded
  std::vector<std::string> members;               // all modules of a fused node; empty if not recorded
  std::vector<std::string> optional_members;      // modules that may be listed as members or not
};

struct Truth {
  modules::ModuleTree tree;
  std::vector<TrueNode> nodes;  // in the order of the map's rows
};

Result<Truth> open_truth(const std::string& path);
Result<Truth> read_truth(std::string_view text, const std::string& label);

}  // namespace thence::score
