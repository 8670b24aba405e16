// decide: one node, its own evidence, the written precedence.
//
// 1. The source that comes first in `evidence::Source` wins; later ones confirm or contradict it.
// 2. A name that fits several modules is decided by a parameter that the node reads; otherwise it stays open.
// 3. Where a rewrite merged nodes of two modules (a norm folded into the convolution before it), the module
// whose
//    weight the node reads ran the operation; the other is listed beside it.
// 4. Where a node's name and its output's name speak of two modules, it was fused: the output's is the
// primary.
// 5. A parameter alone decides only if the node reads those of one module.
// 6. Two recordings of the same forward that speak of two modules leave it open, unless one has doubts.
//    Where nodes do not stand in the order in which they ran, a trace that has doubts yields to the graph.
// 7. The exporter's metadata is one recording, and not always right: where two others, of which neither has a
//    doubt, agree on another module, they win. So does a torch.export graph in which another module was heard
//    running than the exporter's stack tells.
// 8. What an ancestor lends was decided there.
#include <algorithm>

#include "resolve/resolve.h"

namespace thence::resolve {
namespace {

using evidence::Evidence;
using evidence::Source;
using evidence::Strength;

bool reads_from(std::span<const Evidence> all, ModuleId module) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Evidence& e) { return e.source == Source::parameter && e.module == module; });
}

const Evidence* first_parameter(std::span<const Evidence> all) {
  const auto found =
      std::find_if(all.begin(), all.end(), [](const Evidence& e) { return e.source == Source::parameter; });
  return found == all.end() ? nullptr : &*found;
}

// What the name of a node's output says, if that is one module.
const Evidence* fused_into(std::span<const Evidence> all) {
  const auto of_values = [](const Evidence& e) { return e.source == Source::value_names; };
  if (std::count_if(all.begin(), all.end(), of_values) != 1) return nullptr;
  return &*std::find_if(all.begin(), all.end(), of_values);
}

bool is_reordered(Strength strength) {
  return strength >= Strength::reordered && strength <= Strength::reordered_aside_loosely;
}

bool has_doubts(Strength strength) {
  return strength == Strength::aligned_loosely || strength == Strength::reordered_mostly ||
         strength == Strength::reordered_loosely;
}

bool is_aside(Strength strength) {
  return strength == Strength::aligned_aside || strength == Strength::aligned_aside_loosely ||
         (strength >= Strength::reordered_aside && strength <= Strength::reordered_aside_loosely);
}

// All ways to tell the recording's story agree, in a file that does not keep its order.
bool is_unanimous(Strength strength) {
  return strength == Strength::reordered || strength == Strength::reordered_aside;
}

bool is_recording(Source source) { return source == Source::execution_trace || source == Source::fx_graph; }

// Whether the two recordings speak of two modules, and which is right cannot be said. In a file whose order
// tells, a trace without doubts is believed where the graph has some. Where it does not, the trace is, about
// what works on sizes and constants: it hears what a graph leaves out.
bool left_open(std::span<const Evidence> all) {
  bool open = false;
  for (const Evidence& traced : all)
    for (const Evidence& drawn : all) {
      if (traced.source != Source::execution_trace || drawn.source != Source::fx_graph) continue;
      const bool heard =
          is_reordered(traced.strength)
              ? is_aside(traced.strength) || !is_unanimous(traced.strength) || has_doubts(drawn.strength)
              : traced.strength == Strength::aligned && has_doubts(drawn.strength);
      if (traced.module == drawn.module || heard) return false;
      open = true;
    }
  return open;
}

// What the trace and the torch.export graph both say, if neither has a doubt; or what the graph was heard to
// be.
const Evidence* better_recorded(std::span<const Evidence> all) {
  const auto sure = [&](Source source) -> const Evidence* {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Evidence& e) { return e.source == source; });
    const bool no_doubt = found != all.end() &&
                          (found->strength == Strength::aligned || found->strength == Strength::relabelled);
    return no_doubt ? &*found : nullptr;
  };
  const Evidence* const traced = sure(Source::execution_trace);
  const Evidence* const drawn = sure(Source::fx_graph);
  if (drawn != nullptr && drawn->strength == Strength::relabelled) return drawn;
  return traced != nullptr && drawn != nullptr && traced->module == drawn->module ? traced : nullptr;
}

// What the graph says, where the trace says something else, with doubts, of a node that stands out of order.
const Evidence* better_drawn(std::span<const Evidence> all) {
  const Evidence& traced = all.front();
  if (traced.source != Source::execution_trace || !is_reordered(traced.strength) ||
      is_unanimous(traced.strength))
    return nullptr;
  const auto drawn = std::find_if(all.begin(), all.end(), [&](const Evidence& e) {
    return e.source == Source::fx_graph && e.strength != Strength::names_several && e.module != traced.module;
  });
  return drawn == all.end() ? nullptr : &*drawn;
}

// Of another source that names the same module.
Agreement agreement_of(Strength strength) {
  const bool in_doubt = is_reordered(strength) && !is_unanimous(strength);
  return in_doubt ? Agreement::confirmed_loosely : Agreement::confirmed;
}

// A parameter read from the module itself or from below confirms; the module around one is often the one that
// runs the operation. One from elsewhere contradicts.
// In a file without order it tells much that the other recording cannot place a node.
Agreement agreement(const hierarchy::Hierarchy& hierarchy, evidence::SourceSet sources,
                    std::span<const Evidence> all, const Evidence& winner) {
  const modules::ModuleTree& tree = hierarchy.tree();
  const capture::Capture* const capture = hierarchy.recorded();
  const bool two_recordings = sources.has(Source::execution_trace) && sources.has(Source::fx_graph) &&
                              capture != nullptr && capture->trace && capture->fx;
  Agreement result =
      two_recordings && is_reordered(winner.strength) ? Agreement::unconfirmed : Agreement::alone;
  for (const Evidence& other : all) {
    if (other.source == winner.source) continue;
    if (other.module == winner.module) return agreement_of(other.strength);
    if (other.source == Source::parameter && tree.within(other.module, winner.module)) continue;
    result = Agreement::contradicted;
  }
  return result;
}

// The ancestor's answer: its modules are already in order.
Verdict carried_over(std::span<const Evidence> all) {
  Verdict verdict;
  Attribution& answer = verdict.attribution;
  answer.module = all.front().module;
  answer.call = all.front().call;
  answer.source = Source::transferred;
  answer.reason = Reason::none;
  answer.rest_on(Confidence::basis(Source::transferred, all.front().strength, Agreement::alone));
  if (all.size() > 1)
    for (const Evidence& evidence : all) verdict.serves.push_back(evidence.module);
  return verdict;
}

}  // namespace

Verdict decide(const hierarchy::Hierarchy& hierarchy, evidence::SourceSet sources, onnx::NodeId node,
               std::span<const Evidence> all) {
  Verdict verdict;
  Attribution& answer = verdict.attribution;
  if (all.empty()) {
    const bool stranger = sources.has(Source::dynamo_metadata) && hierarchy.stack(node).stranger;
    const bool scoped =
        sources.has(Source::onnx_scope_parsing) && hierarchy.scopes().of_name(node) != hierarchy::no_scope;
    if (hierarchy.tree().complete() && (scoped || stranger))
      answer.reason = Reason::not_in_capture;
    else if (hierarchy.tree().full())
      answer.reason = Reason::past_limits;
    else if (stranger)
      answer.reason = Reason::ambiguous;
    return verdict;
  }
  const Source source = all.front().source;
  if (source == Source::transferred && all.front().strength != Strength::names_several)
    return carried_over(all);
  if (is_recording(source) && left_open(all)) {
    answer.reason = Reason::ambiguous;
    verdict.serves = {all.front().module, all.back().module};
    return verdict;
  }
  // A trace hears all that runs: what it cannot place, and the graph only with doubt, is left open.
  if (source == Source::fx_graph && all.size() == 1 && has_doubts(all.front().strength) &&
      sources.has(Source::execution_trace) && hierarchy.recorded() != nullptr &&
      hierarchy.recorded()->trace) {
    answer.reason = Reason::ambiguous;
    return verdict;
  }
  // Another module heard than the exporter's stack tells: one of them is mistaken.
  if (source == Source::fx_graph && all.front().strength == Strength::relabelled &&
      std::count_if(all.begin(), all.end(),
                    [&](const Evidence& e) { return e.module == all.front().module; }) == 1) {
    answer.reason = Reason::ambiguous;
    return verdict;
  }
  const std::size_t count = static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [&](const Evidence& e) { return e.source != source; }) -
      all.begin());
  const std::span<const Evidence> rivals = all.first(count);
  const Evidence* winner = &rivals.front();
  if (rivals.size() > 1) {
    const auto read = std::find_if(rivals.begin(), rivals.end(), [&](const Evidence& e) {
      return source != Source::parameter && reads_from(all, e.module);
    });
    if (read == rivals.end()) {
      answer.reason = Reason::ambiguous;
      for (const Evidence& rival : rivals)
        if (std::find(verdict.serves.begin(), verdict.serves.end(), rival.module) == verdict.serves.end())
          verdict.serves.push_back(rival.module);
      return verdict;
    }
    winner = &*read;
  }
  // A fused node keeps the name of its first part and the output of its last, which is the primary one.
  if (const Evidence* written = fused_into(all);
      source == Source::onnx_scope_parsing && written != nullptr && written->module != winner->module) {
    verdict.serves = {written->module, winner->module};
    winner = written;
  }
  if (const Evidence* recorded = better_recorded(all);
      source == Source::dynamo_metadata && recorded != nullptr && recorded->module != winner->module)
    winner = recorded;
  if (const Evidence* drawn = better_drawn(all); drawn != nullptr) winner = drawn;
  ModuleId module = winner->module;
  answer.source = winner->source;
  if (winner->strength == Strength::rewritten) {
    const Evidence* weight = first_parameter(all);
    if (weight != nullptr && !hierarchy.tree().within(weight->module, module)) {
      verdict.serves = {weight->module, module};
      module = weight->module;
      answer.source = Source::parameter;
    }
  }
  answer.module = module;
  answer.call = winner->call;
  answer.reason = Reason::none;
  answer.named = source != Source::parameter;
  answer.projected = is_recording(winner->source);
  answer.in_order = answer.projected && !is_reordered(winner->strength);
  answer.rest_on(
      Confidence::basis(winner->source, winner->strength, agreement(hierarchy, sources, all, *winner)));
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
