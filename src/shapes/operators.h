// The known operators: their effect on shapes and types, and whether they work element by element.
#pragma once

#include <string_view>

#include "shapes/call.h"

namespace thence::shapes {

/// The elements that count as processed one by one.
enum class Each : std::uint8_t { none, output, input };

/// The type of the outputs.
enum class Gives : std::uint8_t { first, second, boolean, int64, cast, other };

struct Operator {
  std::string_view name;
  Rule rule;
  Each each = Each::none;
  Gives gives = Gives::first;
};

/// An empty domain is the standard one. Null if the operator is unknown.
const Operator* find_operator(std::string_view domain, std::string_view name);

/// Whether multiplications of the operator are counted.
bool is_product(std::string_view domain, std::string_view name);

}  // namespace thence::shapes
