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
// graph leaves many of them out; and graph_over_disputed_trace() decides about disputed alignments.
bool outweighs(Strength traced, Strength drawn) {
  if (!traced.is_reordered) return traced == certain_alignment && is_uncertain(drawn);
  return traced.is_shape_or_constant || is_disputed(traced) || is_uncertain(drawn);
}

const Evidence* certain(AllEvidence all, Source source) {
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
  for (const Evidence& traced : all)
    for (const Evidence& drawn : all) {
      if (traced.source != Source::execution_trace || drawn.source != Source::fx_graph) continue;
      if (traced.module == drawn.module || outweighs(traced.strength, drawn.strength)) return false;
      conflict = true;
    }
  return conflict;
}

const Evidence* certain_recording(AllEvidence all) {
  const Evidence* const traced = certain(all, Source::execution_trace);
  const Evidence* const drawn = certain(all, Source::fx_graph);
  if (drawn != nullptr && drawn->strength.is_relabelled) return drawn;
  return traced != nullptr && drawn != nullptr && traced->module == drawn->module ? traced : nullptr;
}

const Evidence* graph_over_disputed_trace(AllEvidence all) {
  const Evidence& traced = all.front();
  if (traced.source != Source::execution_trace || !is_disputed(traced.strength)) return nullptr;
  const auto drawn = std::find_if(all.begin(), all.end(), [&](const Evidence& e) {
    return e.source == Source::fx_graph && !e.strength.has_rivals && e.module != traced.module;
  });
  return drawn == all.end() ? nullptr : &*drawn;
}

}  // namespace thence::resolve
