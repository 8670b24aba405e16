// decide: an ordered table of rules for one node and its own evidence. The first rule that applies decides.
//
// The general order of precedence is that of `evidence::Source`, and the last rule applies it. The rules
// before it are exceptions: answers of an ancestor, and cases in which the strongest source is known to be
// wrong, incomplete or ambiguous. A rule returns whether it decided; "unknown" is a decision, too.
#include <algorithm>
#include <array>

#include "resolve/recording_rules.h"

namespace thence::resolve {
namespace {

using evidence::Evidence;
using evidence::Source;

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

// In a graph that another tool built after a reference model, the weights that a node reads prove its module.
// A fused node lists the others.
bool weight_held(const RuleInput& input, Verdict& verdict) {
  const auto is_held = [](const Evidence& e) { return e.strength.is_by_content; };
  const auto first = std::find_if(input.all.begin(), input.all.end(), is_held);
  if (first == input.all.end()) return false;
  decide_module(input, *first, verdict);
  for (const Evidence& each : input.all)
    if (is_held(each)) verdict.modules.push_back(each.module);
  if (verdict.modules.size() == 1) verdict.modules.clear();
  return true;
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

// Later sources confirm or contradict the first, which the confidence reflects. A fused node lists the others
// that the source names.
bool strongest_source(const RuleInput& input, Verdict& verdict) {
  decide_module(input, *input.candidate, verdict);
  if (input.strongest.size() > 1)
    for (const Evidence& each : input.strongest) verdict.modules.push_back(each.module);
  return true;
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
    RuleEntry{DecisionRule::weight_held, weight_held},
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
  const RuleInput input(hierarchy, sources, node, all);
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
