#include "edit/fold.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "edit/fold_names.h"

namespace thence::edit {

using modules::ModuleId;

namespace {

Error nothing_to_fold(const semantics::Map& map, const FoldOptions& options) {
  std::string text = base::printable(map.model().file());
  if (!options.modules.empty())
    text += base::format(": no module in the main graph matches '{}'", base::printable(options.modules));
  else
    text += ": no module is known in the main graph";
  return {ErrorKind::usage, "E011", std::move(text),
          "'thence show' lists the modules; a capture may add some"};
}

}  // namespace

Result<Fold> plan_fold(const semantics::Map& map, const FoldOptions& options) {
  Result<MainGraph> graph = MainGraph::make(map);
  if (!graph) return graph.error();
  CallTree call_tree = build_call_tree(map, *graph, options);
  Partition partition = partition_graph(*graph, call_tree);
  Bodies bodies = find_bodies(map, *graph, call_tree, partition);
  Fold fold{map, *std::move(graph), std::move(call_tree), std::move(partition), std::move(bodies)};
  if (fold.bodies.functions.empty()) return nothing_to_fold(map, options);
  name_functions(fold);
  return fold;
}

FoldSummary summarise_fold(const Fold& fold) {
  enum : std::uint8_t { folds = 1, pieces = 2, lost = 4, inside = 8 };
  const std::size_t count = fold.map.tree().size();
  std::vector<std::uint8_t> seen(count, 0);
  std::vector<bool> called(fold.call_tree.calls.size(), false);
  for (GroupId group = 1; group < fold.partition.groups.size(); ++group) {
    const ModuleId module = fold.module_of(group);
    if (fold.bodies.by_group[group].function == onnx::none) {
      seen[module] |= lost;
      continue;
    }
    const CallId call = fold.partition.groups[group].call;
    seen[module] |= folds;
    if (called[call]) seen[module] |= pieces;
    called[call] = true;
  }
  for (onnx::NodeId id = fold.graph.size(); id < fold.map.model().node_count(); ++id)
    if (fold.map.answer(id).known() &&
        fold.map.model().graphs()[fold.map.model().node(id).graph()].kind == onnx::Graph::Kind::body)
      seen[fold.map.answer(id).module] |= inside;
  FoldSummary summary;
  for (ModuleId module = 1; module < count; ++module) {
    const std::uint8_t status = seen[module];
    summary.modules += (status & folds) != 0;
    if ((status & pieces) != 0) summary.in_pieces.push_back(module);
    if ((status & (folds | lost)) == lost) summary.unused.push_back(module);
    if (status == inside) summary.only_bodies.push_back(module);
  }
  return summary;
}

}  // namespace thence::edit
