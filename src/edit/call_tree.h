// CallTree: assigns each node of the main graph to a module call, for folding.
//
// A node belongs to the call that the map reports. A node without an answer is placed by its neighbours:
// between two nodes of a module it goes into that module, between two modules into the module around both.
// This is only for display and is not an attribution. Constants are placed where all their consumers can read
// them. The same holds for values that an exporter computed once for several layers.
#pragma once

#include <string>
#include <vector>

#include "edit/main_graph.h"

namespace thence::edit {

/// A call of a module. Number 0 is the model itself.
struct ModuleCall {
  modules::ModuleId module = modules::root;
  std::uint32_t call = 0;
  std::uint32_t enclosing = 0;  // the call that contains it
  std::uint32_t depth = 0;      // the number of calls around it
};
using CallId = std::uint32_t;

struct CallTree {
  std::vector<ModuleCall> calls{1};
  std::vector<CallId> node_calls;  // by node

  CallId nearest_common_module(CallId a, CallId b) const;
  /// The call at this depth that contains `inner`.
  CallId at_depth(CallId inner, std::uint32_t depth) const;
};

struct FoldOptions {
  std::uint32_t depth = 0;  // maximum nesting of functions; 0: unlimited
  std::string modules;      // a pattern of paths; empty: all
};

CallTree build_call_tree(const semantics::Map& map, const MainGraph& graph, const FoldOptions& options);

}  // namespace thence::edit
