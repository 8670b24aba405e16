// decide: an ordered table of rules for one node and its own evidence. The first rule that applies decides.
//
// The general order of precedence is that of `evidence::Source`, and the last rule applies it. The rules
// before it are the cases in which the strongest source is known to be wrong, incomplete or ambiguous.
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
struct Question {
  const hierarchy::Hierarchy& hierarchy;
  evidence::SourceSet sources;  // that the strategy uses
  onnx::NodeId node = 0;
  AllEvidence all;
  AllEvidence strongest;                // those of the first source
  const Evidence* candidate = nullptr;  // the only one of `strongest`, or the one whose parameter is read
};

bool reads_parameter_of(AllEvidence all, ModuleId module) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Evidence& e) { return e.source == Source::parameter && e.module == module; });
}

Question question_of(const hierarchy::Hierarchy& hierarchy, evidence::SourceSet sources, onnx::NodeId node,
                     AllEvidence all) {
  Question question{.hierarchy = hierarchy, .sources = sources, .node = node, .all = all};
  if (all.empty()) return question;
  const Source source = all.front().source;
  const auto end =
      std::find_if(all.begin(), all.end(), [&](const Evidence& e) { return e.source != source; });
  question.strongest = all.first(static_cast<std::size_t>(end - all.begin()));
  if (question.strongest.size() == 1) {
    question.candidate = &all.front();
  } else if (source != Source::parameter) {
    const auto read =
        std::find_if(all.begin(), end, [&](const Evidence& e) { return reads_parameter_of(all, e.module); });
    if (read != end) question.candidate = &*read;
  }
  return question;
}

// Another source that names the same module confirms an answer, less so if its own alignment is disputed.
Agreement agreement_of(Strength strength) {
  return is_disputed(strength) ? Agreement::confirmed_loosely : Agreement::confirmed;
}

// A parameter of a module inside the winner's does not contradict it: the module around a parameter often
// runs the operation. A parameter from elsewhere does. In a reordered file it is a bad sign that the other
// recording does not place the node.
Agreement agreement(const Question& question, const Evidence& winner) {
  const modules::ModuleTree& tree = question.hierarchy.tree();
  const auto* const capture = question.hierarchy.recorded();
  const bool two_recordings = question.sources.has(Source::execution_trace) &&
                              question.sources.has(Source::fx_graph) && capture != nullptr &&
                              capture->trace && capture->fx;
  Agreement result =
      two_recordings && winner.strength.is_reordered ? Agreement::unconfirmed : Agreement::alone;
  for (const Evidence& other : question.all) {
    if (other.source == winner.source) continue;
    if (other.module == winner.module) return agreement_of(other.strength);
    if (other.source == Source::parameter && tree.is_within(other.module, winner.module)) continue;
    result = Agreement::contradicted;
  }
  return result;
}

// Always true, as attribute(): the rule decides.
bool leave_unknown(Reason reason, Verdict& verdict) {
  verdict.attribution.reason = reason;
  return true;
}

bool attribute(const Question& question, const Evidence& winner, Verdict& verdict) {
  Attribution& answer = verdict.attribution;
  answer.module = winner.module;
  answer.call = winner.call;
  answer.source = winner.source;
  answer.reason = Reason::none;
  answer.named = question.all.front().source != Source::parameter;
  answer.projected = is_recording(winner.source);
  answer.in_order = answer.projected && !winner.strength.is_reordered;
  answer.rest_on(Confidence::basis(winner.source, winner.strength, agreement(question, winner)));
  return true;
}

bool has_unresolved_stack(const Question& question) {
  return question.sources.has(Source::dynamo_metadata) && question.hierarchy.stack(question.node).stranger;
}

// A capture lists every module of its model. If the name or stack of a node fits none of them, the file has a
// module that the capture lacks; this reason is more helpful than "no evidence".
bool outside_capture(const Question& question, Verdict& verdict) {
  if (!question.hierarchy.tree().is_complete()) return false;
  const bool scoped = question.sources.has(Source::onnx_scope_parsing) &&
                      question.hierarchy.scopes().of_name(question.node) != hierarchy::no_scope;
  if (!scoped && !has_unresolved_stack(question)) return false;
  return leave_unknown(Reason::not_in_capture, verdict);
}

// The number of modules is limited in proportion to the size of the file. Beyond the limit modules are not
// read, so that evidence may be missing.
bool module_limit(const Question& question, Verdict& verdict) {
  if (!question.hierarchy.tree().is_full()) return false;
  return leave_unknown(Reason::past_limits, verdict);
}

// The metadata names a module by a slice from the end of a list. Without a capture the list's length is
// unknown, so that any of its modules may be meant.
bool unresolved_stack(const Question& question, Verdict& verdict) {
  if (!has_unresolved_stack(question)) return false;
  return leave_unknown(Reason::ambiguous, verdict);
}

// Nodes without evidence are left to propagation.
bool no_evidence(const Question&, Verdict& verdict) { return leave_unknown(Reason::no_evidence, verdict); }

// The answer comes from the map of the ancestor model, which had more evidence than the derived file has. Its
// modules are listed with the primary first.
bool ancestor_answer(const Question& question, Verdict& verdict) {
  const Evidence& first = question.all.front();
  if (first.source != Source::transferred || first.strength.has_rivals) return false;
  Attribution& answer = verdict.attribution;
  answer.module = first.module;
  answer.call = first.call;
  answer.source = Source::transferred;
  answer.reason = Reason::none;
  answer.rest_on(Confidence::basis(Source::transferred, first.strength, Agreement::alone));
  if (question.all.size() > 1)
    for (const Evidence& evidence : question.all) verdict.serves.push_back(evidence.module);
  return true;
}

// Two recordings of the same forward that name different modules, equally reliably: one is misaligned, and
// neither is known to be right.
bool recordings_differ(const Question& question, Verdict& verdict) {
  if (!is_recording(question.all.front().source) || !recordings_conflict(question.all)) return false;
  verdict.serves = {question.all.front().module, question.all.back().module};
  return leave_unknown(Reason::ambiguous, verdict);
}

// A trace records every operation. Where it cannot place a node, a graph that places it with low certainty is
// not enough.
bool uncertain_graph(const Question& question, Verdict& verdict) {
  const Evidence& first = question.all.front();
  const auto* const capture = question.hierarchy.recorded();
  const bool has_trace =
      question.sources.has(Source::execution_trace) && capture != nullptr && capture->trace.has_value();
  if (first.source != Source::fx_graph || question.all.size() != 1 || !is_uncertain(first.strength) ||
      !has_trace)
    return false;
  return leave_unknown(Reason::ambiguous, verdict);
}

// The module that was recorded running differs from the exporter's own stack. One of the two is wrong, so the
// recording needs a second source that names the same module.
bool relabelled_alone(const Question& question, Verdict& verdict) {
  const Evidence& first = question.all.front();
  if (first.source != Source::fx_graph || !first.strength.is_relabelled) return false;
  const auto same = std::count_if(question.all.begin(), question.all.end(),
                                  [&](const Evidence& e) { return e.module == first.module; });
  if (same != 1) return false;
  return leave_unknown(Reason::ambiguous, verdict);
}

// A name that fits several modules, or a node that reads parameters of several: a guess would be wrong too
// often. All candidates are listed.
bool several_candidates(const Question& question, Verdict& verdict) {
  if (question.candidate != nullptr) return false;
  std::vector<ModuleId>& modules = verdict.serves;
  for (const Evidence& evidence : question.strongest)
    if (std::find(modules.begin(), modules.end(), evidence.module) == modules.end())
      modules.push_back(evidence.module);
  return leave_unknown(Reason::ambiguous, verdict);
}

// An optimiser's fused node keeps the name of its first part and the output of its last. The module that
// computes the output is the primary one.
bool fused_output(const Question& question, Verdict& verdict) {
  if (question.candidate->source != Source::onnx_scope_parsing) return false;
  const auto is_output_name = [](const Evidence& e) { return e.source == Source::value_names; };
  const auto output = std::find_if(question.all.begin(), question.all.end(), is_output_name);
  if (output == question.all.end() || output->module == question.candidate->module) return false;
  if (std::any_of(output + 1, question.all.end(), is_output_name)) return false;
  attribute(question, *output, verdict);
  verdict.serves = {output->module, question.candidate->module};
  return true;
}

// The exporter's metadata is a recording, too, and sometimes wrong: a view may carry the stack of its reader.
// Two certain recordings that agree on another module override it.
bool recorded_module(const Question& question, Verdict& verdict) {
  if (question.candidate->source != Source::dynamo_metadata) return false;
  const Evidence* const recorded = certain_recording(question.all);
  if (recorded == nullptr || recorded->module == question.candidate->module) return false;
  return attribute(question, *recorded, verdict);
}

// In a file whose nodes do not stand in the order in which they ran, a disputed alignment with the trace that
// the graph contradicts is mostly wrong (0.13 to 0.34 of them are right, by schema/calibration.json).
bool graph_over_trace(const Question& question, Verdict& verdict) {
  const Evidence* const drawn = graph_over_disputed_trace(question.all);
  if (drawn == nullptr) return false;
  return attribute(question, *drawn, verdict);
}

// A rewrite that merges two nodes keeps the metadata of one of them (a norm that was folded into the
// convolution before it). The module whose weight is read ran the operation; the other is listed beside it.
// The confidence stays that of the metadata: the weight only chooses between the two merged nodes.
bool weight_of_merged(const Question& question, Verdict& verdict) {
  if (question.candidate->strength.reading != evidence::Reading::rewritten) return false;
  const auto weight = std::find_if(question.all.begin(), question.all.end(),
                                   [](const Evidence& e) { return e.source == Source::parameter; });
  const ModuleId named = question.candidate->module;
  if (weight == question.all.end() || question.hierarchy.tree().is_within(weight->module, named))
    return false;
  attribute(question, *question.candidate, verdict);
  verdict.attribution.module = weight->module;
  verdict.attribution.source = Source::parameter;
  verdict.serves = {weight->module, named};
  return true;
}

// A name that fits several modules is decided by a parameter that the node reads.
bool parameter_read(const Question& question, Verdict& verdict) {
  if (question.strongest.size() == 1) return false;
  return attribute(question, *question.candidate, verdict);
}

// Later sources confirm or contradict the first, which the confidence reflects.
bool strongest_source(const Question& question, Verdict& verdict) {
  return attribute(question, *question.candidate, verdict);
}

struct DecisionRule {
  Rule rule;
  bool (*decides)(const Question&, Verdict&);
};
// In both tables, the first rule that decides is the answer, and the last one always does.
constexpr std::array rules_without_evidence = {
    DecisionRule{Rule::outside_capture, outside_capture},
    DecisionRule{Rule::module_limit, module_limit},
    DecisionRule{Rule::unresolved_stack, unresolved_stack},
    DecisionRule{Rule::no_evidence, no_evidence},
};
// `several_candidates` decides about all nodes without a candidate, so that later rules need not test for it.
constexpr std::array rules_of_evidence = {
    DecisionRule{Rule::ancestor_answer, ancestor_answer},
    DecisionRule{Rule::recordings_conflict, recordings_differ},
    DecisionRule{Rule::uncertain_graph, uncertain_graph},
    DecisionRule{Rule::relabelled_alone, relabelled_alone},
    DecisionRule{Rule::several_candidates, several_candidates},
    DecisionRule{Rule::fused_output, fused_output},
    DecisionRule{Rule::recorded_module, recorded_module},
    DecisionRule{Rule::graph_over_trace, graph_over_trace},
    DecisionRule{Rule::weight_of_merged, weight_of_merged},
    DecisionRule{Rule::parameter_read, parameter_read},
    DecisionRule{Rule::strongest_source, strongest_source},
};

}  // namespace

Verdict decide(const hierarchy::Hierarchy& hierarchy, evidence::SourceSet sources, onnx::NodeId node,
               std::span<const Evidence> all) {
  Verdict verdict;
  const Question question = question_of(hierarchy, sources, node, all);
  const std::span<const DecisionRule> rules =
      all.empty() ? std::span<const DecisionRule>(rules_without_evidence) : rules_of_evidence;
  for (const DecisionRule& rule : rules)
    if (rule.decides(question, verdict)) {
      verdict.attribution.rule = rule.rule;
      break;
    }
  return verdict;
}

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
