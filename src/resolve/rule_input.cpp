#include "resolve/rule_input.h"

#include <algorithm>

namespace thence::resolve {
namespace {

using evidence::Evidence;
using evidence::Source;
using evidence::Strength;

bool reads_parameter_of(AllEvidence all, const modules::ModuleTree& tree, ModuleId module) {
  return std::any_of(all.begin(), all.end(), [&](const Evidence& e) {
    return e.source == Source::parameter && tree.is_same_module(e.module, module);
  });
}

// Another source that names the same module confirms an answer, less so if its own alignment is disputed.
Agreement confirmation_by(Strength strength) {
  return is_disputed(strength) ? Agreement::confirmed_by_disputed : Agreement::confirmed;
}

// One source that confirms the winner outweighs others that contradict it. A parameter of a module inside the
// winner's does not contradict it: the module around a parameter often
// runs the operation. A parameter from elsewhere does. In a reordered file it is a bad sign that the other
// recording does not place the node, and in a derived file that no node of the ancestor was matched.
Agreement agreement_with(const RuleInput& input, const Evidence& winner) {
  const modules::ModuleTree& tree = input.hierarchy.tree();
  const auto* const capture = input.hierarchy.recorded();
  const bool two_recordings = input.sources.has(Source::execution_trace) &&
                              input.sources.has(Source::fx_graph) && capture != nullptr && capture->trace &&
                              capture->fx;
  const bool is_silent_in_ancestor = input.sources.has(Source::transferred);
  Agreement result = is_silent_in_ancestor || (two_recordings && winner.strength.is_reordered)
                         ? Agreement::unconfirmed
                         : Agreement::alone;
  for (const Evidence& other : input.all) {
    if (other.source == winner.source) continue;
    // A parameter names its module, whatever the path that it was called by.
    const bool is_parameter = other.source == Source::parameter;
    if (is_parameter ? tree.is_same_module(other.module, winner.module) : other.module == winner.module)
      return confirmation_by(other.strength);
    if (is_parameter && tree.is_within(other.module, winner.module)) continue;
    result = Agreement::contradicted;
  }
  return result;
}

// That of the winner or, if it does not tell, the one on which the other evidence for its module agrees.
modules::CallNumber call_of(const RuleInput& input, const Evidence& winner) {
  if (winner.call) return winner.call;
  modules::CallNumber call;
  for (const Evidence& other : input.all) {
    if (other.module != winner.module || !other.call) continue;
    if (call && *call != *other.call) return std::nullopt;
    call = other.call;
  }
  return call;
}

}  // namespace

RuleInput::RuleInput(const hierarchy::Hierarchy& the_hierarchy, evidence::SourceSet of_strategy,
                     onnx::NodeId of_node, AllEvidence on_node)
    : hierarchy(the_hierarchy), sources(of_strategy), node(of_node), all(on_node) {
  if (all.empty()) return;
  const Source source = all.front().source;
  const auto end =
      std::find_if(all.begin(), all.end(), [&](const Evidence& e) { return e.source != source; });
  strongest = all.first(static_cast<std::size_t>(end - all.begin()));
  const bool has_primary = !all.front().strength.has_rivals &&
                           std::all_of(strongest.begin() + 1, strongest.end(),
                                       [](const Evidence& e) { return e.strength.is_secondary; });
  if (strongest.size() == 1 || has_primary) {
    candidate = &all.front();
  } else if (source != Source::parameter) {
    const auto owner = std::find_if(all.begin(), end, [&](const Evidence& e) {
      return reads_parameter_of(all, hierarchy.tree(), e.module);
    });
    if (owner != end) candidate = &*owner;
  }
}

bool names_module(AllEvidence all, Source source, ModuleId module) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Evidence& e) { return e.source == source && e.module == module; });
}

bool decide_unknown(Reason reason, Verdict& verdict) {
  verdict.attribution.reason = reason;
  return true;
}

bool decide_module(const RuleInput& input, const Evidence& winner, Verdict& verdict) {
  Attribution& answer = verdict.attribution;
  answer.module = winner.module;
  answer.set_call(call_of(input, winner));
  answer.source = winner.source;
  answer.reason = Reason::none;
  answer.has_more_than_parameters = input.all.front().source != Source::parameter;
  answer.rests_on_alignment = is_recording(winner.source);
  answer.is_alignment_ordered = answer.rests_on_alignment && !winner.strength.is_reordered;
  answer.set_confidence(ConfidenceTable::basis(winner.source, winner.strength, agreement_with(input, winner)),
                        winner.max_confidence);
  return true;
}

}  // namespace thence::resolve
