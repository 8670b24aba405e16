#include "resolve/resolve.h"

#include <algorithm>
#include <array>
#include <deque>
#include <stdexcept>

#include "functions/origin.h"
#include "resolve/ancestor.h"
#include "resolve/calls.h"
#include "resolve/flow_index.h"
#include "resolve/fused_additions.h"
#include "resolve/members.h"
#include "resolve/propagate.h"
#include "resolve/scope_calls.h"
#include "resolve/thresholds.h"

namespace thence::resolve {
namespace {

using evidence::Evidence;
using evidence::Source;

// The nodes that have evidence of a source: a name that fits several modules is several pieces of evidence.
std::size_t count_nodes(const std::deque<Evidence>& evidence) {
  std::size_t count = 0;
  onnx::NodeId last = onnx::none;
  for (const Evidence& each : evidence) {
    count += each.node != last ? 1 : 0;
    last = each.node;
  }
  return count;
}

// Which nodes are decided after propagation: their own evidence is weaker than certain neighbours.
class DeferredEvidence {
 public:
  DeferredEvidence(const evidence::Sink& sink, const FlowIndex& flow_index, const onnx::Model& model)
      : flow_(flow_index), model_(model) {
    std::size_t named = 0;
    for (const Source source : {Source::tags, Source::trace_module_map, Source::dynamo_metadata,
                                Source::onnx_scope_parsing, Source::value_names})
      named = std::max(named, count_nodes(sink.of(source)));
    most_nodes_are_named_ =
        static_cast<double>(named) > min_named_share * static_cast<double>(model.node_count());
  }

  bool has(onnx::NodeId node, const std::vector<Evidence>& all) const {
    if (all.empty()) return false;
    // Nodes that read parameters and constants alone prepare them for their consumers. A parameter names the
    // module that it comes from, which is another layer's if equal weights were merged.
    const Source best = all.front().source;
    const bool is_constant = flow_.kind(node) == FlowKind::constant;
    if (best == Source::parameter) return is_constant;
    if (best != Source::execution_trace && best != Source::fx_graph) return false;
    // Exporters do not simplify functions, so that they have nodes which no recorded operation became.
    if (!functions::origin_of(model_.node(node)).empty()) return is_constant;
    // If most nodes are named, the others were made by the exporter.
    return most_nodes_are_named_;
  }

 private:
  const FlowIndex& flow_;
  const onnx::Model& model_;
  bool most_nodes_are_named_ = false;
};

void decide_all(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, const evidence::Sink& sink,
                const DeferredEvidence& deferred, evidence::SourceSet sources, Resolution& resolution) {
  std::array<std::deque<Evidence>::const_iterator, evidence::source_count> at;
  for (std::size_t source = 0; source < evidence::source_count; ++source)
    at[source] = sink.of(static_cast<Source>(source)).begin();
  std::vector<Evidence> all;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    all.clear();
    for (std::size_t source = 0; source < evidence::source_count; ++source) {
      const auto end = sink.of(static_cast<Source>(source)).end();
      for (auto& next = at[source]; next != end && next->node == id; ++next) all.push_back(*next);
    }
    if (deferred.has(id, all)) continue;
    Verdict verdict = decide(hierarchy, sources, id, all);
    resolution.nodes[id] = verdict.attribution;
    set_modules(resolution, id, std::move(verdict.modules));
  }
}

// Decides what propagation left open by the deferred evidence.
void decide_deferred(const hierarchy::Hierarchy& hierarchy, const evidence::Sink& sink,
                     const DeferredEvidence& deferred, evidence::SourceSet sources, Resolution& resolution) {
  for (const Source source : {Source::execution_trace, Source::fx_graph, Source::parameter}) {
    onnx::NodeId last = onnx::none;
    for (const Evidence& evidence : sink.of(source)) {
      const onnx::NodeId id = evidence.node;
      if (id == last || resolution.nodes[id].known()) continue;
      last = id;
      const std::vector<Evidence> all = evidence_of(sink, id);
      if (!deferred.has(id, all)) continue;
      Verdict verdict = decide(hierarchy, sources, id, all);
      resolution.nodes[id] = verdict.attribution;
      set_modules(resolution, id, std::move(verdict.modules));
    }
  }
}

// The conservative strategy answers for the model's own classes, not for those of torch.nn.
void apply_class_filter(const modules::ModuleTree& tree, const modules::ClassFilter& filter,
                        Resolution& resolution) {
  for (Attribution& node : resolution.nodes) {
    if (!node.known() || filter.hf_module(tree, node.module) != no_module) continue;
    ++resolution.filtered_by_class[tree[node.module].class_name];
    node = Attribution{};
    node.reason = Reason::filtered;
    node.rule = DecisionRule::class_filter;
  }
}

}  // namespace

Resolution resolve(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                   const evidence::Sink& sink, const FlowIndex& flow_index, const Strategy& strategy,
                   const modules::ClassFilter& filter, const evidence::AncestorAnswers* ancestor) {
  Resolution resolution;
  resolution.nodes.resize(model.node_count());
  const bool may_propagate = strategy.sources.has(Source::neighbours);
  const DeferredEvidence deferred(sink, flow_index, model);
  decide_all(model, hierarchy, sink, deferred, strategy.sources, resolution);
  if (may_propagate) {
    propagate(model, hierarchy.tree(), flow_index, resolution);
    decide_deferred(hierarchy, sink, deferred, strategy.sources, resolution);
    if (strategy.sources.has(Source::dynamo_metadata)) attribute_operations(model, resolution);
  }
  if (strategy.sources.has(Source::function)) attribute_functions(model, resolution);
  if (strategy.needs_classes) apply_class_filter(hierarchy.tree(), filter, resolution);
  if (ancestor != nullptr) {
    apply_ancestor_answers(*ancestor, resolution);
  } else {
    find_shared_nodes(model, hierarchy, flow_index, resolution);
    add_fused_additions(model, hierarchy, resolution);
  }
  apply_tagged_members(hierarchy, resolution);
  find_computing_modules(model, hierarchy.tree(), resolution);
  if (ancestor == nullptr) find_weight_owners(model, hierarchy, flow_index, resolution);
  apply_tagged_weight_owners(hierarchy, resolution);
  settle_calls(model, hierarchy.tree(), flow_index, resolution);
  if (strategy.sources.has(Source::onnx_scope_parsing))
    remove_calls_that_split_scopes(model, hierarchy, resolution);
  // Every node has exactly one row, with a module or a reason; in release builds, too.
  bool total = resolution.nodes.size() == model.node_count();
  for (const Attribution& node : resolution.nodes) total &= node.known() == (node.reason == Reason::none);
  if (!total) throw std::logic_error("a node has neither a module nor a reason");
  return resolution;
}

}  // namespace thence::resolve
