#include "resolve/calls.h"

#include <unordered_map>

#include "dataflow/bodies.h"

namespace thence::resolve {
namespace {

using modules::CallNumber;
using onnx::GraphId;
using onnx::NodeId;

// How often the nodes of a graph run in one run of the model.
enum class GraphRuns : std::uint8_t { at_most_once, in_loop, per_call_site };

std::vector<GraphRuns> count_graph_runs(const onnx::Model& model) {
  std::vector<GraphRuns> runs(model.graphs().size(), GraphRuns::at_most_once);
  for (GraphId id = 0; id < runs.size(); ++id) {  // a graph comes after the one that encloses it
    const onnx::Graph& graph = model.graphs()[id];
    if (graph.kind == onnx::Graph::Kind::function) runs[id] = GraphRuns::per_call_site;
    if (graph.kind != onnx::Graph::Kind::body) continue;
    runs[id] = model.node(graph.owner).op_type() == "If" ? runs[graph.parent] : GraphRuns::in_loop;
  }
  return runs;
}

// The call that some nodes of one module have in common.
class CommonCall {
 public:
  void add(CallNumber call) {
    has_unknown_ |= !call || (call_ && *call_ != *call);
    call_ = call;
    ++count_;
  }
  bool is_empty() const { return count_ == 0; }
  CallNumber get() const { return has_unknown_ ? std::nullopt : call_; }

 private:
  CallNumber call_;
  std::size_t count_ = 0;
  bool has_unknown_ = false;
};

class CallSettler {
 public:
  CallSettler(const onnx::Model& model, const modules::ModuleTree& tree, const FlowIndex& flow_index,
              Resolution& resolution)
      : model_(model),
        tree_(tree),
        flow_(flow_index),
        nodes_(resolution.nodes),
        runs_(count_graph_runs(model)),
        is_in_loop_(tree.size(), false) {}

  void run() {
    for (NodeId id = 0; id < nodes_.size(); ++id)
      if (nodes_[id].known() && runs_of(id) == GraphRuns::in_loop) is_in_loop_[nodes_[id].module] = true;
    for (NodeId id = 0; id < nodes_.size(); ++id) settle(id);
    settle_functions();
    for (NodeId id = static_cast<NodeId>(nodes_.size()); id-- > 0;) settle_by_neighbours(id);
    for (NodeId id = 0; id < nodes_.size(); ++id) settle_by_neighbours(id);
    remove_impossible_calls();
  }

 private:
  GraphRuns runs_of(NodeId id) const { return runs_[model_.node(id).graph()]; }

  // The root has one call unless more are recorded, which only recursion makes.
  bool has_one_call(ModuleId module) const {
    return tree_[module].calls.value_or(module == modules::root ? 1 : 0) == 1;
  }

  void settle(NodeId id) {
    Attribution& node = nodes_[id];
    if (!node.known())
      node.set_call({});
    else if (has_one_call(node.module) && (node.module == modules::root || !is_in_loop_[node.module]))
      node.set_call(0);
    else if (is_in_loop_[node.module] || runs_of(id) != GraphRuns::at_most_once)
      node.set_call({});
  }

  // A function's nodes are of the call that calls the function, if only one does.
  void settle_functions() {
    const dataflow::Functions functions(model_);
    if (functions.empty()) return;
    std::unordered_map<GraphId, CommonCall> callers;
    std::unordered_map<GraphId, ModuleId> modules;
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      const GraphId function = functions.called_by(model_.node(id));
      if (function == onnx::none) continue;
      const bool is_same =
          modules.try_emplace(function, nodes_[id].module).first->second == nodes_[id].module;
      callers[function].add(is_same ? nodes_[id].call() : CallNumber());
    }
    for (const auto& [function, call] : callers) {
      const onnx::Graph& graph = model_.graphs()[function];
      for (NodeId id = graph.first_node; id < graph.first_node + graph.node_count; ++id)
        if (nodes_[id].known() && !nodes_[id].call() && nodes_[id].module == modules.at(function))
          nodes_[id].set_call(call.get());
    }
  }

  // A shape or constant is made for its consumers. Data may be the end of one call or the start of the next,
  // so both sides must agree. The ancestor's map has done the same for its nodes.
  void settle_by_neighbours(NodeId id) {
    Attribution& node = nodes_[id];
    if (!node.known() || node.call() || node.source == evidence::Source::transferred) return;
    if (is_in_loop_[node.module] || runs_of(id) != GraphRuns::at_most_once) return;
    const CommonCall after = call_of_consumers(id);
    if (flow_.kind(id) != FlowKind::data) {
      if (!after.is_empty()) node.set_call(after.get());
      return;
    }
    const CommonCall before = call_of_producers(id);
    if (!after.is_empty() && !before.is_empty() && after.get() == before.get()) node.set_call(after.get());
  }

  // What an earlier call computes cannot depend on a later call of the same module. If it does, calls that
  // look alike were taken for each other, and none of the numbers of the module and those inside is certain.
  void remove_impossible_calls() {
    std::vector<bool> is_impossible(tree_.size(), false);
    for (NodeId id = 0; id < nodes_.size(); ++id)
      if (depends_on_later_call(id)) is_impossible[nodes_[id].module] = true;
    for (ModuleId module = 1; module < tree_.size(); ++module)  // a module comes after its parent
      if (is_impossible[tree_[module].parent]) is_impossible[module] = true;
    for (Attribution& node : nodes_)
      if (node.known() && is_impossible[node.module] && node.source != evidence::Source::transferred)
        node.set_call({});
  }

  bool depends_on_later_call(NodeId id) const {
    const CallNumber call = nodes_[id].call();
    if (!nodes_[id].known() || !call || nodes_[id].source == evidence::Source::transferred) return false;
    for (const onnx::ValueId value : model_.node(id).inputs()) {
      if (value == onnx::none) continue;
      const onnx::Producer producer = model_.producer(value);
      if (producer.kind != onnx::Producer::Kind::node) continue;
      const Attribution& before = nodes_[producer.index];
      if (before.module == nodes_[id].module && before.call() && *before.call() > *call) return true;
    }
    return false;
  }

  CommonCall call_of_consumers(NodeId id) const {
    CommonCall common;
    for (const onnx::ValueId value : model_.node(id).outputs()) {
      if (value == onnx::none) continue;
      for (const NodeId consumer : flow_.uses(value))
        if (nodes_[consumer].module == nodes_[id].module) common.add(nodes_[consumer].call());
    }
    return common;
  }

  CommonCall call_of_producers(NodeId id) const {
    CommonCall common;
    for (const onnx::ValueId value : model_.node(id).inputs()) {
      if (value == onnx::none) continue;
      const onnx::Producer producer = model_.producer(value);
      if (producer.kind == onnx::Producer::Kind::node && flow_.kind(producer.index) == FlowKind::data &&
          nodes_[producer.index].module == nodes_[id].module)
        common.add(nodes_[producer.index].call());
    }
    return common;
  }

  const onnx::Model& model_;
  const modules::ModuleTree& tree_;
  const FlowIndex& flow_;
  std::vector<Attribution>& nodes_;
  std::vector<GraphRuns> runs_;   // by graph
  std::vector<bool> is_in_loop_;  // by module: some of its nodes are in the body of a loop
};

}  // namespace

void settle_calls(const onnx::Model& model, const modules::ModuleTree& tree, const FlowIndex& flow_index,
                  Resolution& resolution) {
  CallSettler(model, tree, flow_index, resolution).run();
}

}  // namespace thence::resolve
