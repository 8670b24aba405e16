#include "resolve/recordings.h"

#include <algorithm>

namespace thence::resolve {
namespace {

using evidence::Certainty;
using evidence::Evidence;
using evidence::Source;
using evidence::Strength;

// Of a data node, in a file in order.
constexpr Strength certain_alignment = {.statement = evidence::Statement::alignment};

// Whether the trace needs no confirmation by the graph. If the file keeps the order, a certain trace
// outweighs an uncertain graph. If it does not, the trace is preferred for shapes and constants, because a
// graph leaves many of them out; and find_graph_over_disputed_trace() decides about disputed alignments.
bool trace_outweighs_graph(Strength by_trace, Strength by_graph) {
  if (!by_trace.is_reordered) return by_trace == certain_alignment && is_uncertain(by_graph);
  return by_trace.is_shape_or_constant || is_disputed(by_trace) || is_uncertain(by_graph);
}

const Evidence* find_certain(AllEvidence all, Source source) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Evidence& e) { return e.source == source; });
  if (found == all.end()) return nullptr;
  return found->strength == certain_alignment || found->strength.is_relabelled ? &*found : nullptr;
}

}  // namespace

bool is_recording(Source source) { return source == Source::execution_trace || source == Source::fx_graph; }

bool is_uncertain(Strength strength) {
  return !strength.is_shape_or_constant && strength.certainty != Certainty::full;
}

bool is_disputed(Strength strength) { return strength.is_reordered && strength.certainty != Certainty::full; }

bool recordings_conflict(AllEvidence all) {
  bool conflict = false;
  for (const Evidence& by_trace : all)
    for (const Evidence& by_graph : all) {
      if (by_trace.source != Source::execution_trace || by_graph.source != Source::fx_graph) continue;
      if (by_trace.module == by_graph.module || trace_outweighs_graph(by_trace.strength, by_graph.strength))
        return false;
      conflict = true;
    }
  return conflict;
}

const Evidence* find_recording_of_both(AllEvidence all) {
  const auto first_by = [&](Source source) {
    return std::find_if(all.begin(), all.end(), [&](const Evidence& e) { return e.source == source; });
  };
  const auto by_trace = first_by(Source::execution_trace), by_graph = first_by(Source::fx_graph);
  if (by_trace == all.end() || by_graph == all.end() || by_trace->module != by_graph->module) return nullptr;
  return by_trace->strength.has_rivals || by_graph->strength.has_rivals ? nullptr : &*by_trace;
}

const Evidence* find_agreed_recording(AllEvidence all) {
  const Evidence* const by_trace = find_certain(all, Source::execution_trace);
  const Evidence* const by_graph = find_certain(all, Source::fx_graph);
  if (by_graph != nullptr && by_graph->strength.is_relabelled) return by_graph;
  return by_trace != nullptr && by_graph != nullptr && by_trace->module == by_graph->module ? by_trace
                                                                                            : nullptr;
}

const Evidence* find_graph_over_disputed_trace(AllEvidence all) {
  const Evidence& by_trace = all.front();
  if (by_trace.source != Source::execution_trace || !is_disputed(by_trace.strength)) return nullptr;
  const auto by_graph = std::find_if(all.begin(), all.end(), [&](const Evidence& e) {
    return e.source == Source::fx_graph && !e.strength.has_rivals && e.module != by_trace.module;
  });
  return by_graph == all.end() ? nullptr : &*by_graph;
}

}  // namespace thence::resolve
