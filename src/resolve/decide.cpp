// decide: an ordered table of rules for one node and its own evidence. The first rule that applies decides.
//
// The general order of precedence is that of `evidence::Source`, and the last rule applies it. The rules
// before it are exceptions: answers of an ancestor, and cases in which the strongest source is known to be
// wrong, incomplete or ambiguous. A rule returns whether it decided; "unknown" is a decision, too.
#include <algorithm>
#include <array>

#include "resolve/recordings.h"
#include "resolve/resolve.h"

namespace thence::resolve {
namespace {

using evidence::Evidence;
using evidence::Source;
using evidence::Strength;

// What a rule may look at.
struct RuleInput {
  const hierarchy::Hierarchy& hierarchy;
  evidence::SourceSet sources;  // that the strategy uses
  onnx::NodeId node = 0;
  AllEvidence all;
  AllEvidence strongest;  // those of the first source
  // The only one of `strongest`, or the first of them whose module has a parameter that the node reads.
  const Evidence* candidate = nullptr;
};

bool reads_parameter_of(AllEvidence all, const modules::ModuleTree& tree, ModuleId module) {
  return std::any_of(all.begin(), all.end(), [&](const Evidence& e) {
    return e.source == Source::parameter && tree.is_same_module(e.module, module);
  });
}

bool names_module(AllEvidence all, Source source, ModuleId module) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Evidence& e) { return e.source == source && e.module == module; });
}

RuleInput rule_input_of(const hierarchy::Hierarchy& hierarchy, evidence::SourceSet sources, onnx::NodeId node,
                        AllEvidence all) {
  RuleInput input{.hierarchy = hierarchy, .sources = sources, .node = node, .all = all};
  if (all.empty()) return input;
  const Source source = all.front().source;
  const auto end =
      std::find_if(all.begin(), all.end(), [&](const Evidence& e) { return e.source != source; });
  input.strongest = all.first(static_cast<std::size_t>(end - all.begin()));
  if (input.strongest.size() == 1) {
    input.candidate = &all.front();
  } else if (source != Source::parameter) {
    const auto owner = std::find_if(all.begin(), end, [&](const Evidence& e) {
      return reads_parameter_of(all, hierarchy.tree(), e.module);
    });
    if (owner != end) input.candidate = &*owner;
  }
  return input;
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

// Both return true: the rule decided.
bool decide_unknown(Reason reason, Verdict& verdict) {
  verdict.attribution.reason = reason;
  return true;
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

bool has_unresolved_stack(const RuleInput& input) {
  return input.sources.has(Source::dynamo_metadata) &&
         input.hierarchy.stack(input.node).names_unlisted_module;
}

// A capture lists every module of its model. If the name or stack of a node fits none of them, the file has a
// module that the capture lacks; this reason is more helpful than "no evidence".
bool outside_capture(const RuleInput& input, Verdict& verdict) {
  if (!input.hierarchy.tree().is_complete()) return false;
  const bool scoped = input.sources.has(Source::onnx_scope_parsing) &&
                      input.hierarchy.scopes().scope_in_name(input.node) != hierarchy::no_scope;
  if (!scoped && !has_unresolved_stack(input)) return false;
  return decide_unknown(Reason::not_in_capture, verdict);
}

// The number of modules is limited in proportion to the size of the file. Beyond the limit modules are not
// read, so evidence may be missing.
bool module_limit(const RuleInput& input, Verdict& verdict) {
  if (!input.hierarchy.tree().is_full()) return false;
  return decide_unknown(Reason::past_limits, verdict);
}

// The metadata names a module by a slice from the end of a list (`layers[-2:].0`). Without a capture the
// length of the list is unknown, so any of its modules may be meant.
bool unresolved_stack(const RuleInput& input, Verdict& verdict) {
  if (!has_unresolved_stack(input)) return false;
  return decide_unknown(Reason::ambiguous, verdict);
}

// Nodes without evidence are left to propagation.
bool no_evidence(const RuleInput&, Verdict& verdict) { return decide_unknown(Reason::no_evidence, verdict); }

// The answer comes from the map of the ancestor model, which had more evidence than the derived file has. If
// several nodes of the ancestor became this one, all their modules are listed, that of the output first.
bool ancestor_answer(const RuleInput& input, Verdict& verdict) {
  const Evidence& first = input.all.front();
  if (first.source != Source::transferred || first.strength.has_rivals) return false;
  Attribution& answer = verdict.attribution;
  answer.module = first.module;
  answer.set_call(first.call);
  answer.source = Source::transferred;
  answer.reason = Reason::none;
  const Agreement agreement =
      first.strength.certainty == evidence::Certainty::full ? Agreement::alone : Agreement::unconfirmed;
  answer.set_confidence(ConfidenceTable::basis(Source::transferred, first.strength, agreement));
  if (input.all.size() > 1)
    for (const Evidence& evidence : input.all) verdict.modules.push_back(evidence.module);
  return true;
}

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

// A name that fits several modules, or a node that reads parameters of several: a guess would be wrong too
// often. All candidates are listed.
bool several_candidates(const RuleInput& input, Verdict& verdict) {
  if (input.candidate != nullptr) return false;
  std::vector<ModuleId>& modules = verdict.modules;
  for (const Evidence& evidence : input.strongest)
    if (std::find(modules.begin(), modules.end(), evidence.module) == modules.end())
      modules.push_back(evidence.module);
  return decide_unknown(Reason::ambiguous, verdict);
}

// TorchScript compiles a class once. Only in the code of its first instance do inner modules have scopes: in
// that of others, the scope names the module around them. What else names a module inside it is right.
bool inside_scope(const RuleInput& input, Verdict& verdict) {
  if (input.candidate->strength.reading != evidence::NameReading::outer_module) return false;
  const modules::ModuleTree& tree = input.hierarchy.tree();
  const ModuleId outer = input.candidate->module;
  const Evidence* found = nullptr;
  for (const Evidence& other : input.all) {
    const bool is_inside = (is_recording(other.source) || other.source == Source::parameter) &&
                           !other.strength.has_rivals && tree.is_within(other.module, outer);
    if (!is_inside || (other.source == Source::parameter && (found != nullptr || other.module == outer)))
      continue;
    if (found != nullptr && found->module != other.module) return decide_unknown(Reason::ambiguous, verdict);
    found = &other;
  }
  if (found != nullptr) return decide_module(input, *found, verdict);
  verdict.modules = {outer};
  return decide_unknown(Reason::ambiguous, verdict);
}

// The exporter of functions names a call after the last module inside it. What the call reads are parameters
// of the whole module.
bool called_module(const RuleInput& input, Verdict& verdict) {
  if (input.candidate->source != Source::onnx_scope_parsing) return false;
  const auto called = std::find_if(input.all.begin(), input.all.end(),
                                   [](const Evidence& e) { return e.source == Source::function; });
  if (called == input.all.end() || called->module == input.candidate->module ||
      !input.hierarchy.tree().is_within(input.candidate->module, called->module))
    return false;
  return decide_module(input, *called, verdict);
}

// An optimiser's fused node keeps the name of its first part and the output of its last. The module that
// computes the output is the primary one.
bool fused_output(const RuleInput& input, Verdict& verdict) {
  if (input.candidate->source != Source::onnx_scope_parsing) return false;
  const auto is_output_name = [](const Evidence& e) { return e.source == Source::value_names; };
  const auto output = std::find_if(input.all.begin(), input.all.end(), is_output_name);
  if (output == input.all.end() || output->module == input.candidate->module) return false;
  if (std::any_of(output + 1, input.all.end(), is_output_name)) return false;
  decide_module(input, *output, verdict);
  verdict.modules = {output->module, input.candidate->module};
  return true;
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

// A rewrite that merges two nodes keeps the metadata of one of them (a norm that was folded into the
// convolution before it). The module whose weight is read ran the operation; the other is listed beside it.
// The confidence stays that of the metadata: the weight only chooses between the two merged nodes.
bool weight_of_merged(const RuleInput& input, Verdict& verdict) {
  if (input.candidate->strength.reading != evidence::NameReading::rewritten) return false;
  const auto weight = std::find_if(input.all.begin(), input.all.end(),
                                   [](const Evidence& e) { return e.source == Source::parameter; });
  const ModuleId named = input.candidate->module;
  if (weight == input.all.end() || input.hierarchy.tree().is_within(weight->module, named)) return false;
  decide_module(input, *input.candidate, verdict);
  verdict.attribution.module = weight->module;
  verdict.attribution.set_call(weight->call);
  verdict.attribution.source = Source::parameter;
  verdict.modules = {weight->module, named};
  return true;
}

// A name that fits several modules is decided by a parameter that the node reads.
bool parameter_read(const RuleInput& input, Verdict& verdict) {
  if (input.strongest.size() == 1) return false;
  return decide_module(input, *input.candidate, verdict);
}

// Later sources confirm or contradict the first, which the confidence reflects.
bool strongest_source(const RuleInput& input, Verdict& verdict) {
  return decide_module(input, *input.candidate, verdict);
}

struct RuleEntry {
  DecisionRule rule;
  bool (*apply)(const RuleInput&, Verdict&);
};
// In both tables, the first rule that decides is the answer, and the last one always does.
constexpr std::array rules_without_evidence = {
    RuleEntry{DecisionRule::outside_capture, outside_capture},
    RuleEntry{DecisionRule::module_limit, module_limit},
    RuleEntry{DecisionRule::unresolved_stack, unresolved_stack},
    RuleEntry{DecisionRule::no_evidence, no_evidence},
};
// `several_candidates` decides about all nodes without a candidate, so later rules need not test for it.
constexpr std::array rules_with_evidence = {
    RuleEntry{DecisionRule::ancestor_answer, ancestor_answer},
    RuleEntry{DecisionRule::graph_of_branches, graph_of_branches},
    RuleEntry{DecisionRule::recordings_conflict, recordings_conflict_on_node},
    RuleEntry{DecisionRule::uncertain_graph, uncertain_graph},
    RuleEntry{DecisionRule::relabelled_alone, relabelled_alone},
    RuleEntry{DecisionRule::recorded_candidate, recorded_candidate},
    RuleEntry{DecisionRule::several_candidates, several_candidates},
    RuleEntry{DecisionRule::inside_scope, inside_scope},
    RuleEntry{DecisionRule::called_module, called_module},
    RuleEntry{DecisionRule::fused_output, fused_output},
    RuleEntry{DecisionRule::recorded_layer, recorded_layer},
    RuleEntry{DecisionRule::recorded_module, recorded_module},
    RuleEntry{DecisionRule::graph_over_trace, graph_over_trace},
    RuleEntry{DecisionRule::weight_of_merged, weight_of_merged},
    RuleEntry{DecisionRule::parameter_read, parameter_read},
    RuleEntry{DecisionRule::strongest_source, strongest_source},
};

}  // namespace

Verdict decide(const hierarchy::Hierarchy& hierarchy, evidence::SourceSet sources, onnx::NodeId node,
               std::span<const Evidence> all) {
  Verdict verdict;
  const RuleInput input = rule_input_of(hierarchy, sources, node, all);
  const std::span<const RuleEntry> rules =
      all.empty() ? std::span<const RuleEntry>(rules_without_evidence) : rules_with_evidence;
  for (const RuleEntry& rule : rules)
    if (rule.apply(input, verdict)) {
      verdict.attribution.rule = rule.rule;
      break;
    }
  return verdict;
}

// Sources are in order of precedence, and the evidence of each is sorted by node.
std::vector<Evidence> evidence_of(const evidence::Sink& sink, onnx::NodeId node) {
  std::vector<Evidence> all;
  for (std::size_t i = 0; i < evidence::source_count; ++i) {
    const auto& list = sink.of(static_cast<Source>(i));
    auto at = std::lower_bound(list.begin(), list.end(), node,
                               [](const Evidence& e, onnx::NodeId id) { return e.node < id; });
    for (; at != list.end() && at->node == node; ++at) all.push_back(*at);
  }
  return all;
}

}  // namespace thence::resolve
