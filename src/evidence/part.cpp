#include "evidence/part.h"

#include <algorithm>
#include <array>

#include "dataflow/operator_traits.h"
#include "shapes/operators.h"

namespace thence::evidence {
namespace {

constexpr std::array<std::string_view, 6> part_names = {"other", "layout",     "arithmetic",
                                                        "norm",  "activation", "compute"};

}  // namespace

std::string_view name_of(Part part) { return part_names[static_cast<std::size_t>(part)]; }

Part part_named(std::string_view name) {
  const auto found = std::find(part_names.begin(), part_names.end(), name);
  return found == part_names.end() ? Part::other : static_cast<Part>(found - part_names.begin());
}

Part part_of_operator(std::string_view domain, std::string_view op_type) {
  if (shapes::counts_macs(domain, op_type)) return Part::compute;
  if (dataflow::is_activation(op_type)) return Part::activation;
  if (op_type.ends_with("Normalization")) return Part::norm;
  const dataflow::OperatorTraits traits = dataflow::traits_of(op_type);
  if (traits.has(dataflow::Trait::keeps_elements) || traits.has(dataflow::Trait::reshapes))
    return Part::layout;
  const shapes::Operator* const known = shapes::find_operator(domain, op_type);
  return known != nullptr && known->elementwise_work != shapes::ElementwiseWork::none ? Part::arithmetic
                                                                                      : Part::other;
}

}  // namespace thence::evidence
