// Part: what a member of a fused node does in it, by the operators that its module ran before the fusion.
#pragma once

#include <cstdint>
#include <string_view>

namespace thence::evidence {

/// If a module ran several operators, the last that applies.
enum class Part : std::uint8_t { other, layout, arithmetic, norm, activation, compute };

/// As written into tags: "other", "layout", ...; and back. Unknown words are `other`.
std::string_view name_of(Part part);
Part part_named(std::string_view name);

Part part_of_operator(std::string_view domain, std::string_view op_type);

}  // namespace thence::evidence
