// The operators that are known: what each does to shapes and types, and whether it works element by element.
#pragma once

#include <string_view>

#include "shapes/call.h"

namespace thence::shapes {

/// Which elements are counted as worked on one by one.
enum class Each : std::uint8_t { none, output, input };

/// The type of the outputs.
enum class Gives : std::uint8_t { first, second, boolean, int64, cast, other };

struct Operator {
  std::string_view name;
  Rule rule;
  Each each = Each::none;
  Gives gives = Gives::first;
};

/// Empty domain: ONNX's own. Null when the operator is not known.
const Operator* find_operator(std::string_view domain, std::string_view name);

/// Whether it is one whose multiplications are counted.
bool is_product(std::string_view domain, std::string_view name);

}  // namespace thence::shapes
