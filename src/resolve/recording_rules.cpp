#include "resolve/recording_rules.h"

#include <algorithm>

namespace thence::resolve {

using evidence::Evidence;
using evidence::Source;

// A trace has the branch of an `If` that was taken. It may have been aligned with the other one, too; the FX
// graph has both.
bool graph_of_branches(const RuleInput& input, Verdict& verdict) {
  if (input.all.front().source != Source::execution_trace) return false;
  const auto by_graph = std::find_if(input.all.begin(), input.all.end(),
                                     [](const Evidence& e) { return e.source == Source::fx_graph; });
  if (by_graph == input.all.end() || !by_graph->strength.is_in_branch || by_graph->strength.has_rivals ||
      by_graph->module == input.all.front().module)
    return false;
  return decide_module(input, *by_graph, verdict);
}

// Two recordings of the same forward that name different modules, equally reliably: one is misaligned, and
// neither is known to be right.
bool recordings_conflict_on_node(const RuleInput& input, Verdict& verdict) {
  if (!is_recording(input.all.front().source) || !recordings_conflict(input.all)) return false;
  verdict.modules = {input.all.front().module, input.all.back().module};
  return decide_unknown(Reason::ambiguous, verdict);
}

// A trace records every operation, and an FX graph has those of bodies, too, which may run once, often or
// never. Where the trace cannot place another node, an FX graph that places it with low certainty is not
// enough.
bool uncertain_graph(const RuleInput& input, Verdict& verdict) {
  const Evidence& first = input.all.front();
  const auto* const capture = input.hierarchy.recorded();
  const bool has_trace =
      input.sources.has(Source::execution_trace) && capture != nullptr && capture->trace.has_value();
  if (first.source != Source::fx_graph || input.all.size() != 1 || !is_uncertain(first.strength) ||
      first.strength.is_in_body || !has_trace)
    return false;
  return decide_unknown(Reason::ambiguous, verdict);
}

// The module that was recorded running differs from the exporter's own stack. One of the two is wrong, so the
// recording needs a second source that names the same module.
bool relabelled_alone(const RuleInput& input, Verdict& verdict) {
  const Evidence& first = input.all.front();
  if (first.source != Source::fx_graph || !first.strength.is_relabelled) return false;
  const auto same = std::count_if(input.all.begin(), input.all.end(),
                                  [&](const Evidence& e) { return e.module == first.module; });
  if (same != 1) return false;
  return decide_unknown(Reason::ambiguous, verdict);
}

// A name that fits several modules is decided by a recording that names one of them, and no other; or by two
// that are certain of another layer, which the name leaves open.
bool recorded_candidate(const RuleInput& input, Verdict& verdict) {
  if (input.candidate != nullptr || is_recording(input.all.front().source)) return false;
  const modules::ModuleTree& tree = input.hierarchy.tree();
  if (const Evidence* const agreed = find_agreed_recording(input.all);
      agreed != nullptr &&
      std::all_of(input.strongest.begin(), input.strongest.end(), [&](const Evidence& e) {
        return modules::are_in_different_layers(tree[e.module].path, tree[agreed->module].path);
      }))
    return decide_module(input, *agreed, verdict);
  const Evidence* found = nullptr;
  for (const Evidence& other : input.all) {
    if (!is_recording(other.source)) continue;
    if (!names_module(input.all, input.all.front().source, other.module) || other.strength.has_rivals)
      return false;
    if (found != nullptr && found->module != other.module) return false;
    if (found == nullptr) found = &other;
  }
  return found != nullptr && decide_module(input, *found, verdict);
}

// A scope that skips a level does not say which layer it is in. If both recordings are certain of another
// layer, they are right; if one names another layer, neither is known to be.
bool recorded_layer(const RuleInput& input, Verdict& verdict) {
  const Evidence& named = *input.candidate;
  if (named.strength.reading != evidence::NameReading::inferred_call) return false;
  const modules::ModuleTree& tree = input.hierarchy.tree();
  const auto is_elsewhere = [&](const Evidence& other) {
    return modules::are_in_different_layers(tree[other.module].path, tree[named.module].path);
  };
  if (const Evidence* const recorded = find_agreed_recording(input.all);
      recorded != nullptr && is_elsewhere(*recorded))
    return decide_module(input, *recorded, verdict);
  const auto rival = std::find_if(input.all.begin(), input.all.end(), [&](const Evidence& e) {
    return is_recording(e.source) && !e.strength.has_rivals && is_elsewhere(e);
  });
  if (rival == input.all.end()) return false;
  verdict.modules = {named.module, rival->module};
  return decide_unknown(Reason::ambiguous, verdict);
}

// The exporter's metadata is a recording, too, and sometimes wrong: a view may carry the stack of its reader.
// Two recordings that agree on another module override it; they must be certain, unless it is such a view and
// they name a module outside its reader. Metadata that the trace confirms stands: then the graph is
// misaligned.
bool recorded_module(const RuleInput& input, Verdict& verdict) {
  if (input.candidate->source != Source::dynamo_metadata) return false;
  if (names_module(input.all, Source::execution_trace, input.candidate->module)) return false;
  const bool is_leading_view = input.candidate->strength.reading == evidence::NameReading::leading_view;
  const Evidence* recorded = find_agreed_recording(input.all);
  if (recorded == nullptr && is_leading_view) {
    recorded = find_recording_of_both(input.all);
    if (recorded != nullptr && input.hierarchy.tree().is_within(recorded->module, input.candidate->module))
      return false;
  }
  if (recorded == nullptr || recorded->module == input.candidate->module) return false;
  return decide_module(input, *recorded, verdict);
}

// In a file whose nodes do not stand in the order in which they ran, a disputed alignment with the trace that
// the FX graph contradicts is mostly wrong (see `contradicted` in schema/calibration.json).
bool graph_over_trace(const RuleInput& input, Verdict& verdict) {
  const Evidence* const graph = find_graph_over_disputed_trace(input.all);
  if (graph == nullptr) return false;
  return decide_module(input, *graph, verdict);
}

}  // namespace thence::resolve
