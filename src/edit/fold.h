// Fold: turns modules into functions of the model, nested like the modules. One node calls the function of
// each module. The computation does not change.
#pragma once

#include <string_view>
#include <vector>

#include "edit/bodies.h"
#include "wire/splice.h"

namespace thence::edit {

/// The plan for folding a model.
struct Fold {
  const semantics::Map& map;
  MainGraph graph;
  CallTree call_tree;
  Partition partition;
  Bodies bodies;

  modules::ModuleId module_of(GroupId group) const {
    return call_tree.calls[partition.groups[group].call].module;
  }
  std::string_view path_of(GroupId group) const { return map.tree()[module_of(group)].path; }
};

/// Returns an error if the graph is malformed, or if it contains no module.
Result<Fold> plan_fold(const semantics::Map& map, const FoldOptions& options);

struct FoldedModel {
  wire::Splice model;
  bool is_exact = true;  // `thence unfold` restores all bytes
};
/// The fold and its map must outlive the result.
Result<FoldedModel> fold_model(const Fold& fold);

/// The modules that were folded, and those that were not.
struct FoldSummary {
  std::size_t modules = 0;                     // folded modules
  std::vector<modules::ModuleId> in_pieces;    // folded modules with a call that became several nodes
  std::vector<modules::ModuleId> unused;       // not folded: their outputs have no consumers
  std::vector<modules::ModuleId> only_bodies;  // not folded: all their nodes are in bodies
};
FoldSummary summarise_fold(const Fold& fold);

}  // namespace thence::edit
