#include "edit/call_tree.h"

#include <fnmatch.h>

#include <algorithm>
#include <unordered_map>

#include "edit/call_counts.h"

namespace thence::edit {
namespace {

using modules::ModuleId;
using onnx::NodeId;
using onnx::ValueId;

constexpr CallId unassigned = onnx::none;

class CallTreeBuilder {
 public:
  CallTreeBuilder(const semantics::Map& map, const MainGraph& graph, const FoldOptions& options)
      : map_(map), graph_(graph), call_counts_(map), fold_targets_(map.tree().size()) {
    const modules::ModuleTree& tree = map.tree();
    for (ModuleId module = 1; module < tree.size(); ++module) {  // outer modules come first
      const FoldTarget& outer = fold_targets_[tree[module].parent];
      const bool wanted =
          options.modules.empty() ||
          fnmatch(options.modules.c_str(), std::string(tree[module].path).c_str(), FNM_NOESCAPE) == 0;
      const bool is_within_depth = options.depth == 0 || outer.depth < options.depth;
      const bool folds = wanted && is_within_depth && tree.nearest_runnable(module) == module;
      fold_targets_[module] = folds ? FoldTarget{module, outer.module, outer.depth + 1} : outer;
    }
  }

  CallTree run() {
    assign_known();
    assign_unknown();
    assign_merged();
    assign_constants();
    return std::move(call_tree_);
  }

 private:
  struct FoldTarget {
    ModuleId module = modules::root;     // the innermost folded module that is or contains it
    ModuleId enclosing = modules::root;  // the next folded module outwards
    std::uint32_t depth = 0;
  };

  CallId call(ModuleId module, std::uint32_t number) {
    // Go outwards to the first existing call, then add the missing ones.
    std::vector<std::pair<ModuleId, std::uint32_t>> missing;
    CallId found = 0;
    while (module != modules::root) {
      const auto known = call_ids_.find(key(module, number));
      if (known != call_ids_.end()) {
        found = known->second;
        break;
      }
      missing.emplace_back(module, number);
      number = call_counts_.enclosing_call(module, number, fold_targets_[module].enclosing).value_or(0);
      module = fold_targets_[module].enclosing;
    }
    for (; !missing.empty(); missing.pop_back()) {
      const auto [inner, inner_number] = missing.back();
      call_tree_.calls.push_back({inner, inner_number, found, call_tree_.calls[found].depth + 1});
      found = static_cast<CallId>(call_tree_.calls.size() - 1);
      call_ids_.emplace(key(inner, inner_number), found);
    }
    return found;
  }
  static std::uint64_t key(ModuleId module, std::uint32_t number) {
    return static_cast<std::uint64_t>(module) << 32 | number;
  }

  void assign_known() {
    call_tree_.node_calls.assign(graph_.size(), unassigned);
    for (NodeId id = 0; id < graph_.size(); ++id) {
      const resolve::Attribution& answer = map_.answer(id);
      if (!answer.known()) continue;
      const ModuleId module = fold_targets_[answer.module].module;
      const modules::CallNumber own_call = is_copy_of_weight(id) ? 0 : answer.call();
      const modules::CallNumber number = call_counts_.enclosing_call(answer.module, own_call, module);
      if (number) call_tree_.node_calls[id] = call(module, *number);
    }
  }

  // An exporter that merged equal weights copies them for each call after the first. All calls are alike if
  // the copies are outside of them, where the weights are.
  bool is_copy_of_weight(NodeId id) const {
    const onnx::Node node = graph_.model().node(id);
    return node.op_type() == "Identity" && node.inputs().size() == 1 && node.inputs()[0] != onnx::none &&
           graph_.model().producer(node.inputs()[0]).kind == onnx::Producer::Kind::initializer;
  }

  CallId merge_calls(CallId a, CallId b) const {
    if (a == unassigned) return b;
    return b == unassigned ? a : call_tree_.nearest_common_module(a, b);
  }

  // The innermost call that contains all consumers of a node. Consumers that are not placed contribute the
  // common call of their own consumers.
  std::vector<CallId> common_consumer_calls() const {
    std::vector<CallId> common(graph_.size(), unassigned);
    for (const ValueId value : graph_.model().graphs().front().outputs)
      if (const NodeId from = graph_.producer(value); from != onnx::none) common[from] = 0;
    for (NodeId id = graph_.size(); id-- > 0;) {
      const CallId here = call_tree_.node_calls[id] != unassigned ? call_tree_.node_calls[id] : common[id];
      graph_.for_each_read(id, [&](ValueId value) {
        if (const NodeId from = graph_.producer(value); from != onnx::none)
          common[from] = merge_calls(common[from], here);
      });
    }
    return common;
  }

  void assign_unknown() {
    const std::vector<CallId> after = common_consumer_calls();
    std::vector<CallId> before(graph_.size(), unassigned);
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (call_tree_.node_calls[id] != unassigned) {
        before[id] = call_tree_.node_calls[id];
        continue;
      }
      graph_.for_each_read(id, [&](ValueId value) {
        const NodeId from = graph_.producer(value);
        if (from != onnx::none)
          before[id] = merge_calls(before[id], before[from]);
        else if (graph_.model().producer(value).kind == onnx::Producer::Kind::graph_input)
          before[id] = 0;
      });
    }
    for (NodeId id = 0; id < graph_.size(); ++id)
      if (call_tree_.node_calls[id] == unassigned) {
        const CallId between = merge_calls(before[id], after[id]);
        call_tree_.node_calls[id] = between == unassigned ? 0 : between;
      }
  }

  // If several modules compute the same value, an exporter keeps one computation, in the first of them. It is
  // placed around all of them, as far out as its inputs allow.
  void assign_merged() {
    std::vector<bool> merged(graph_.size());
    for (NodeId id = 0; id < graph_.size(); ++id) merged[id] = is_shared_by_layers(id);
    std::vector<CallId> wanted = call_tree_.node_calls;
    for (NodeId id = graph_.size(); id-- > 0;)
      graph_.for_each_read(id, [&](ValueId value) {
        const NodeId from = graph_.producer(value);
        if (from != onnx::none && merged[from])
          wanted[from] = call_tree_.nearest_common_module(wanted[from], wanted[id]);
      });
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (!merged[id]) continue;
      std::uint32_t depth = call_tree_.calls[wanted[id]].depth;
      graph_.for_each_read(id, [&](ValueId value) {
        if (const NodeId from = graph_.producer(value); from != onnx::none)
          depth = std::max(depth, call_tree_
                                      .calls[call_tree_.nearest_common_module(call_tree_.node_calls[id],
                                                                              call_tree_.node_calls[from])]
                                      .depth);
      });
      call_tree_.node_calls[id] = call_tree_.at_depth(call_tree_.node_calls[id], depth);
    }
  }

  bool is_shared_by_layers(NodeId id) const {
    const resolve::Attribution& answer = map_.answer(id);
    if (!answer.known() || answer.module_set == 0) return false;
    const std::vector<ModuleId> modules = map_.modules_of(id);
    return std::any_of(modules.begin(), modules.end(), [&](ModuleId other) {
      return modules::are_in_different_layers(map_.tree()[answer.module].path, map_.tree()[other].path);
    });
  }

  // Nodes that depend only on constants are placed where all consumers can read them. Nodes that depend on
  // weights are moved only if their own module also reads them: this is true for a weight in another form,
  // but not for an output of a module.
  void assign_constants() {
    enum Constness : std::uint8_t { constant, of_weights, varies };
    std::vector<Constness> kind(graph_.size(), constant);
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (graph_.has_bodies(id)) kind[id] = varies;
      graph_.for_each_read(id, [&](ValueId value) {
        const NodeId from = graph_.producer(value);
        const bool weight = graph_.model().producer(value).kind == onnx::Producer::Kind::initializer;
        const Constness source_kind = weight ? of_weights : varies;
        kind[id] = std::max(kind[id], from != onnx::none ? kind[from] : source_kind);
      });
    }
    std::vector<bool> is_movable(graph_.size());
    for (NodeId id = 0; id < graph_.size(); ++id) {
      is_movable[id] = kind[id] == constant;
      graph_.for_each_read(id, [&](ValueId value) {
        const NodeId from = graph_.producer(value);
        if (from == onnx::none || kind[from] != of_weights) return;
        const ModuleCall& own = call_tree_.calls[call_tree_.node_calls[from]];
        if (call_tree_.calls[call_tree_.at_depth(call_tree_.node_calls[id], own.depth)].module == own.module)
          is_movable[from] = true;
      });
    }
    for (NodeId id = graph_.size(); id-- > 0;)  // consumers are placed before producers
      graph_.for_each_read(id, [&](ValueId value) {
        if (const NodeId from = graph_.producer(value); from != onnx::none && is_movable[from])
          call_tree_.node_calls[from] =
              call_tree_.nearest_common_module(call_tree_.node_calls[from], call_tree_.node_calls[id]);
      });
  }

  const semantics::Map& map_;
  const MainGraph& graph_;
  const CallCounts call_counts_;
  std::vector<FoldTarget> fold_targets_;  // by module
  std::unordered_map<std::uint64_t, CallId> call_ids_;
  CallTree call_tree_;
};

}  // namespace

CallId CallTree::nearest_common_module(CallId a, CallId b) const {
  while (a != b) {
    CallId& deeper = calls[a].depth >= calls[b].depth ? a : b;
    deeper = calls[deeper].enclosing;
  }
  return a;
}

CallId CallTree::at_depth(CallId inner, std::uint32_t depth) const {
  while (calls[inner].depth > depth) inner = calls[inner].enclosing;
  return inner;
}

CallTree build_call_tree(const semantics::Map& map, const MainGraph& graph, const FoldOptions& options) {
  return CallTreeBuilder(map, graph, options).run();
}

}  // namespace thence::edit
