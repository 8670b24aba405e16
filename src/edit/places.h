// Places: in which call of which module each node of the main graph will stand when modules are folded.
//
// A node stands where the map says. One without an answer stands where its neighbours do: between two nodes
// of a module it is in that module, between two modules in the one around both. That is where it is shown,
// not a claim about where it comes from. Constants stand where all their
// readers see them, and so does what an exporter computed once for several layers.
#pragma once

#include <string>
#include <vector>

#include "edit/main_graph.h"

namespace thence::edit {

/// A call of a module; number 0 is the model itself.
struct ModuleCall {
  modules::ModuleId module = modules::root;
  std::uint32_t call = 0;
  std::uint32_t around = 0;  // the call it is part of
  std::uint32_t depth = 0;   // how many are around it
};
using CallId = std::uint32_t;

struct Places {
  std::vector<ModuleCall> calls{1};
  std::vector<CallId> of;  // by node

  CallId common(CallId a, CallId b) const;
  /// The call at this depth that an inner one is part of.
  CallId at_depth(CallId inner, std::uint32_t depth) const;
};

struct FoldOptions {
  std::uint32_t depth = 0;  // how deep functions may be nested; 0: as deep as modules are
  std::string modules;      // a pattern of paths; empty: all
};

Places find_places(const semantics::Map& map, const MainGraph& graph, const FoldOptions& options);

}  // namespace thence::edit
