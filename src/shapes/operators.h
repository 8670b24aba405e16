// The known operators: their effect on shapes and types, and whether they work element by element.
#pragma once

#include <string_view>

#include "shapes/inference_context.h"

namespace thence::shapes {

/// The elements that count as processed one by one.
enum class ElementwiseWork : std::uint8_t { none, output, input };

/// The type of the outputs.
enum class OutputType : std::uint8_t {
  as_first_input,
  as_second_input,
  boolean,
  int64,
  cast,  // given by the attribute `to`
  other,
};

struct Operator {
  std::string_view name;
  ShapeRule rule;
  ElementwiseWork elementwise_work = ElementwiseWork::none;
  OutputType output_type = OutputType::as_first_input;
};

/// An empty domain is the standard one. Null if the operator is unknown.
const Operator* find_operator(std::string_view domain, std::string_view name);

/// Whether an operator without an entry here may have matrix products or convolutions inside.
bool may_multiply(std::string_view domain, std::string_view name);

/// Whether multiplications of the operator are counted.
bool counts_macs(std::string_view domain, std::string_view name);

}  // namespace thence::shapes
