// A function's body is in the file once: its nodes belong to the modules of all call sites.
#include <algorithm>
#include <map>

#include "dataflow/bodies.h"
#include "resolve/propagate.h"
#include "resolve/thresholds.h"

namespace thence::resolve {
namespace {

using dataflow::Functions;

// The callers of a function that are known so far.
struct Callers {
  std::vector<ModuleId> modules;
  bool has_calls = false, are_all_known = false;
  float confidence = 1;
};

Callers callers_of(const std::vector<onnx::NodeId>& calls, const Resolution& resolution) {
  Callers callers{.has_calls = !calls.empty(), .are_all_known = !calls.empty()};
  const auto add = [&](ModuleId module) {
    auto& listed = callers.modules;
    if (listed.size() < max_listed_modules && std::find(listed.begin(), listed.end(), module) == listed.end())
      listed.push_back(module);
  };
  for (const onnx::NodeId call : calls) {
    const Attribution& caller = resolution.nodes[call];
    callers.are_all_known &= caller.known();
    callers.confidence = std::min(callers.confidence, caller.confidence);
    if (caller.known())
      add(caller.module);
    else
      for (const ModuleId module : resolution.module_sets[caller.module_set])
        add(module);  // the call is in a body that several call
  }
  return callers;
}

// Whether anything changed.
bool attribute_body(const onnx::Model& model, onnx::GraphId first, onnx::GraphId past, const Callers& by,
                    Resolution& resolution) {
  const std::vector<ModuleId>& callers = by.modules;
  bool changed = false;
  const auto& graphs = model.graphs();
  for (onnx::GraphId graph = first; graph < past; ++graph)
    for (onnx::NodeId id = graphs[graph].first_node; id < graphs[graph].first_node + graphs[graph].node_count;
         ++id) {
      Attribution& node = resolution.nodes[id];
      if (node.known() && !node.is_inferred && callers.size() < 2) continue;  // it has direct evidence
      const Attribution before = node;
      node = Attribution{};
      node.is_inferred = true;
      node.rule = DecisionRule::call_sites;
      node.source = evidence::Source::function;
      if (callers.size() == 1 && by.are_all_known) {
        node.module = callers.front();
        node.reason = Reason::none;
        node.has_more_than_parameters = true;
        node.set_confidence(ConfidenceTable::basis(Inference::called, by.confidence), by.confidence);
      } else {
        node.source = evidence::Source::count;
        node.reason = !by.has_calls        ? Reason::unused_function
                      : callers.size() > 1 ? Reason::several_call_sites
                                           : Reason::no_evidence;
        if (callers.size() > 1) node.module_set = before.module_set;
        set_modules(resolution, id, callers);
      }
      changed |= node.module != before.module || node.reason != before.reason;
    }
  return changed;
}

}  // namespace

void attribute_functions(const onnx::Model& model, Resolution& resolution) {
  const Functions functions(model);
  if (functions.empty()) return;
  std::map<onnx::GraphId, std::vector<onnx::NodeId>> calls;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    if (const onnx::GraphId called = functions.called_by(model.node(id)); called != onnx::none)
      calls[called].push_back(id);
  // Functions call functions: a body is settled once the bodies that call it are. That takes as many rounds
  // as calls are nested, which is no deeper than modules are. The limit ends cycles of calls.
  for (std::size_t round = 0; round <= modules::ModuleTree::max_depth; ++round) {
    std::vector<Callers> callers;  // of all, before any body changes
    for (const onnx::GraphId graph : functions.all()) callers.push_back(callers_of(calls[graph], resolution));
    bool changed = false;
    auto by = callers.begin();
    for (const onnx::GraphId graph : functions.all())
      changed |= attribute_body(model, graph, functions.end_of(graph), *by++, resolution);
    if (!changed) break;
  }
}

}  // namespace thence::resolve
