// Kinds of difference.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace thence::diff {

enum class DiffKind : std::uint8_t {
  added,         // B has it, A does not
  removed,       // A has it, B does not
  moved,         // the same work, in another module
  fused,         // several nodes of A are fewer in B
  split,         // one node of A is several in B
  retyped,       // another operator between the same values
  rewired,       // the same operator reads other values, or an output is another value
  quantised,     // the same work on quantised numbers, in B or in A, and the nodes that quantise them
  weights,       // the same operator with weights of other content
  precision,     // the same weights in another element type
  renamed,       // an input or output of the model
  shapes,        // weights, results, inputs or outputs have another shape
  attributes,    // the same operator with other attributes, or other sizes, axes and indices
  not_compared,  // weights whose data cannot be read
  count,
};

inline constexpr std::size_t diff_kind_count = static_cast<std::size_t>(DiffKind::count);
using Counts = std::array<std::size_t, diff_kind_count>;

std::string_view name_of(DiffKind kind);
std::string_view text_of(DiffKind kind);
std::optional<DiffKind> diff_kind_of(std::string_view name);
/// The error for a name that is none of them.
Error unknown_kind(std::string_view name);

}  // namespace thence::diff
