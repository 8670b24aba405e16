#include "resolve/resolve.h"

#include <stdexcept>

#include "resolve/propagate.h"
#include "resolve/wiring.h"

namespace thence::resolve {
namespace {

using evidence::Evidence;
using evidence::Source;

// Nodes fed by parameters and constants alone prepare something for whoever reads them: parameters name where
// the tensor came from, which may be another layer's when equal weights were merged.
bool rests_on_parameter_alone(const std::vector<Evidence>& all) {
  return !all.empty() && all.front().source == Source::parameter;
}

void decide_all(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, const evidence::Sink& sink,
                const Wiring& wiring, evidence::SourceSet sources, Resolution& resolution) {
  std::array<std::size_t, evidence::source_count> at{};
  std::vector<Evidence> all;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    all.clear();
    for (std::size_t source = 0; source < evidence::source_count; ++source) {
      const auto& list = sink.of(static_cast<Source>(source));
      for (std::size_t& i = at[source]; i < list.size() && list[i].node == id; ++i) all.push_back(list[i]);
    }
    if (rests_on_parameter_alone(all) && wiring.flow(id) == Flow::constant) continue;
    Verdict verdict = decide(hierarchy, sources, id, all);
    resolution.nodes[id] = verdict.attribution;
    set_modules(resolution, id, std::move(verdict.serves));
  }
}

// What propagation left open may still be settled by a parameter.
void settle_constants(const hierarchy::Hierarchy& hierarchy, const evidence::Sink& sink, const Wiring& wiring,
                      evidence::SourceSet sources, Resolution& resolution) {
  onnx::NodeId last = onnx::none;
  for (const Evidence& evidence : sink.of(Source::parameter)) {
    const onnx::NodeId id = evidence.node;
    if (id == last || resolution.nodes[id].known() || wiring.flow(id) != Flow::constant) continue;
    last = id;
    Verdict verdict = decide(hierarchy, sources, id, evidence_of(sink, id));
    resolution.nodes[id] = verdict.attribution;
    set_modules(resolution, id, std::move(verdict.serves));
  }
}

// The cautious strategy answers only for modules that are somebody's own, not torch.nn's building blocks.
void leave_out(const hierarchy::ModuleTree& tree, const hierarchy::ClassFilter& filter,
               Resolution& resolution) {
  for (Attribution& node : resolution.nodes) {
    if (!node.known() || filter.hf_module(tree, node.module) != no_module) continue;
    ++resolution.left_out[tree[node.module].class_name];
    node = Attribution{};
    node.reason = Reason::filtered;
  }
}

}  // namespace

Resolution resolve(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                   const evidence::Sink& sink, const Wiring& wiring, const Strategy& strategy,
                   const hierarchy::ClassFilter& filter) {
  Resolution resolution;
  resolution.nodes.resize(model.node_count());
  const bool may_propagate = strategy.sources.has(Source::neighbours);
  decide_all(model, hierarchy, sink, wiring, strategy.sources, resolution);
  if (may_propagate) {
    propagate(model, hierarchy.tree(), wiring, resolution);
    settle_constants(hierarchy, sink, wiring, strategy.sources, resolution);
  }
  if (strategy.sources.has(Source::function)) attribute_functions(model, resolution);
  if (strategy.needs_classes) leave_out(hierarchy.tree(), filter, resolution);
  find_shared(model, hierarchy, wiring, resolution);
  find_weight_owners(model, hierarchy, wiring, resolution);
  // Every node has exactly one row, with a module or a reason; in release builds, too.
  bool total = resolution.nodes.size() == model.node_count();
  for (const Attribution& node : resolution.nodes) total &= node.known() == (node.reason == Reason::none);
  if (!total) throw std::logic_error("a node has neither a module nor a reason");
  return resolution;
}

}  // namespace thence::resolve
