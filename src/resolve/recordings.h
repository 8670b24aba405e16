// The execution trace and the torch.export graph record the same forward. These functions compare what the
// two name for one node.
#pragma once

#include <span>

#include "evidence/source.h"

namespace thence::resolve {

/// `all`, here and below: all evidence on one node, in the order of precedence.
using AllEvidence = std::span<const evidence::Evidence>;

bool is_recording(evidence::Source source);

/// A data node that was aligned with less than full certainty.
bool is_uncertain(evidence::Strength strength);

/// Some of the four alignments of a reordered file name another step.
bool is_disputed(evidence::Strength strength);

/// Whether the recordings name different modules, and neither is more reliable.
bool recordings_conflict(AllEvidence all);

/// The module that both recordings name, and no other; null if there is none.
const evidence::Evidence* find_recording_of_both(AllEvidence all);
/// The module that both recordings name with full certainty, or the one that was recorded running where the
/// exporter's stack names another; null if there is none.
const evidence::Evidence* find_agreed_recording(AllEvidence all);

/// What the graph names instead, if the strongest evidence is a disputed alignment with the trace; else null.
const evidence::Evidence* find_graph_over_disputed_trace(AllEvidence all);

}  // namespace thence::resolve
