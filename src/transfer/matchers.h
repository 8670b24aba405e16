// The matchers: ways to find the partner of an operation of the descendant, in order of reliability. Each has
// its own file, match_by_*.cpp. docs/how-it-works.md shows the table.
#pragma once

#include <span>
#include <string_view>

#include "transfer/match_state.h"

namespace thence::transfer {

struct Matcher {
  /// When a matcher sees an operation.
  enum class Phase : std::uint8_t {
    worklist,  // whenever something around it was matched
    sweep,     // once the worklist is empty and no matcher above matches anything more
  };
  /// Which operations it sees.
  enum class Operations : std::uint8_t { unmatched, matched };

  std::string_view name;
  std::string_view needs;
  Proof proof;
  Phase phase;
  Operations operations;
  bool (*match)(MatchState& state, OperationId ours);  // true if it matched something
};

std::span<const Matcher> matchers();

bool match_noop(MatchState& state, OperationId ours);
bool match_by_inputs(MatchState& state, OperationId ours);
bool match_by_weight(MatchState& state, OperationId ours);
bool match_by_consumers(MatchState& state, OperationId ours);
bool match_by_hint(MatchState& state, OperationId ours);
bool match_by_split_weights(MatchState& state, OperationId ours);
bool match_by_fused_weights(MatchState& state, OperationId ours);
bool match_by_name(MatchState& state, OperationId ours);
bool match_by_data_inputs(MatchState& state, OperationId ours);
bool match_by_neighbours(MatchState& state, OperationId ours);

}  // namespace thence::transfer
