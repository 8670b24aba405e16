#include "resolve/recordings.h"

#include <algorithm>

namespace thence::resolve {
namespace {

using evidence::Evidence;
using evidence::Source;
using evidence::Strength;

bool is_shape_or_constant(Strength strength) {
  return strength == Strength::aligned_aside || strength == Strength::aligned_aside_loosely ||
         (strength >= Strength::reordered_aside && strength <= Strength::reordered_aside_loosely);
}

// Whether the trace needs no confirmation by the graph. If the file keeps the order, a certain trace
// outweighs an uncertain graph. If it does not, the trace is preferred for shapes and constants, because a
// graph leaves many of them out; and graph_over_disputed_trace() decides about disputed alignments.
bool outweighs(Strength traced, Strength drawn) {
  if (!is_reordered(traced)) return traced == Strength::aligned && is_uncertain(drawn);
  return is_shape_or_constant(traced) || is_disputed(traced) || is_uncertain(drawn);
}

const Evidence* certain(AllEvidence all, Source source) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Evidence& e) { return e.source == source; });
  if (found == all.end()) return nullptr;
  return found->strength == Strength::aligned || is_relabelled(found->strength) ? &*found : nullptr;
}

}  // namespace

bool is_recording(Source source) { return source == Source::execution_trace || source == Source::fx_graph; }

bool is_reordered(Strength strength) {
  return strength >= Strength::reordered && strength <= Strength::reordered_aside_loosely;
}

bool is_uncertain(Strength strength) {
  return strength == Strength::aligned_loosely || strength == Strength::reordered_mostly ||
         strength == Strength::reordered_loosely;
}

bool is_disputed(Strength strength) {
  return is_reordered(strength) && strength != Strength::reordered && strength != Strength::reordered_aside;
}

bool is_relabelled(Strength strength) { return strength == Strength::relabelled; }

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
  if (drawn != nullptr && is_relabelled(drawn->strength)) return drawn;
  return traced != nullptr && drawn != nullptr && traced->module == drawn->module ? traced : nullptr;
}

const Evidence* graph_over_disputed_trace(AllEvidence all) {
  const Evidence& traced = all.front();
  if (traced.source != Source::execution_trace || !is_disputed(traced.strength)) return nullptr;
  const auto drawn = std::find_if(all.begin(), all.end(), [&](const Evidence& e) {
    return e.source == Source::fx_graph && e.strength != Strength::names_several && e.module != traced.module;
  });
  return drawn == all.end() ? nullptr : &*drawn;
}

}  // namespace thence::resolve
