// Fold: modules become functions of the model, nested as the modules are. A node that calls one stands for
// the module; what the module computes does not change.
#pragma once

#include <string_view>
#include <vector>

#include "edit/bodies.h"
#include "edit/splice.h"

namespace thence::edit {

/// How a model is folded.
struct Fold {
  const semantics::Map& map;
  MainGraph graph;
  Places places;
  Cut cut;
  Bodies bodies;

  modules::ModuleId module_of(GroupId group) const { return places.calls[cut.groups[group].call].module; }
  std::string_view path_of(GroupId group) const { return map.tree()[module_of(group)].path; }
};

/// An error where the graph is malformed, or where no module is found in it.
Result<Fold> find_fold(const semantics::Map& map, const FoldOptions& options);

/// The folded model. The fold and its map outlive the splice.
Splice folded(const Fold& fold);

/// What became of the modules.
struct FoldSummary {
  std::size_t modules = 0;                     // folded ones
  std::vector<modules::ModuleId> in_pieces;    // of which one call is several nodes
  std::vector<modules::ModuleId> unused;       // not folded: nobody reads what they write
  std::vector<modules::ModuleId> only_bodies;  // not folded: all their nodes lie in bodies of nodes
};
FoldSummary summary_of(const Fold& fold);

}  // namespace thence::edit
