#include "transfer/matchers.h"

namespace thence::transfer {
namespace {

using enum Matcher::Phase;
using enum Matcher::Operations;

// In order of reliability: a match by an earlier row is never replaced by a later one.
constexpr Matcher table[] = {
    {"noop", "it forwards a matched value unchanged, and the ancestor has no such operator there",
     Proof::forwarded, worklist, unmatched, match_noop},
    {"inputs", "all inputs are matched or equal constants", Proof::inputs, worklist, unmatched,
     match_by_inputs},
    {"weight", "only one operation of the ancestor reads this weight", Proof::weight, worklist, unmatched,
     match_by_weight},
    {"consumers", "a matched consumer reads it in the same place, from the same operator", Proof::consumers,
     worklist, matched, match_by_consumers},
    {"hint", "a name or consumer suggests a value, and everything between was fused or split", Proof::region,
     sweep, unmatched, match_by_hint},
    {"split_weights", "the last of several operations that together read all weights of one", Proof::region,
     sweep, unmatched, match_by_split_weights},
    {"fused_weights", "one operation that reads all weights of several", Proof::region, sweep, unmatched,
     match_by_fused_weights},
    {"name", "the name, the operator, the weights and an input agree", Proof::name, sweep, unmatched,
     match_by_name},
    {"data_inputs", "the only operator of its kind left that reads the same data; constants may differ",
     Proof::unique_remaining, sweep, unmatched, match_by_data_inputs},
    {"neighbours", "the only operation that the matches around it allow", Proof::neighbours, sweep, unmatched,
     match_by_neighbours},
};

}  // namespace

std::span<const Matcher> matchers() { return table; }

}  // namespace thence::transfer
