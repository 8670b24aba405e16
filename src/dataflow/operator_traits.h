// What is known of ONNX operators, and of ONNX Runtime's, apart from shapes: one table for all rooms.
#pragma once

#include <cstdint>
#include <string_view>

#include "onnx/model.h"

namespace thence::dataflow {

/// Facts about an operator, as a set. Each is about the node's first input and output unless it says
/// otherwise.
enum class Trait : std::uint32_t {
  // Views: the same elements.
  keeps_elements = 1u << 0,  // in the same shape and order; the number type may change
  reshapes = 1u << 1,        // in another shape or order
  regroups = 1u << 2,   // in another shape and the same order: rewriters replace one such operator by another
  noop_view = 1u << 3,  // changes nothing if the shapes are equal
  prepares_weight = 1u << 4,           // exporters and quantisers put it between a parameter and its consumer
  exporter_prepares_weight = 1u << 5,  // the same, of what exporters alone put there
  torch_view = 1u << 6,                // PyTorch has a view operator that becomes it
  may_be_noop = 1u << 7,               // not a view, and a no-op for some sizes or attributes

  // Computation.
  commutative = 1u << 8,      // the order of the inputs does not matter
  variadic = 1u << 9,         // any number of inputs; a no-op for one
  elementwise = 1u << 10,     // a scalar if all inputs are scalars
  scales = 1u << 11,          // a scale, an offset or a no-op if the second input is a scalar
  scaled_product = 1u << 12,  // the attribute alpha is a factor of the product
  clamps = 1u << 13,          // a quantiser that clamps to the range of its type may replace it
  reads_shape = 1u << 14,     // the result depends on the shape of the input, not on its elements
  pads = 1u << 18,            // optimisers fold a Pad before it into its attributes

  // Quantisation.
  quantiser = 1u << 15,     // converts between real and quantised numbers
  may_clamp = 1u << 16,     // writes quantised numbers, which clamps them to the range of their type
  integer_sums = 1u << 17,  // writes sums of quantised numbers, which a quantiser converts afterwards
};

class OperatorTraits {
 public:
  constexpr OperatorTraits() = default;
  constexpr OperatorTraits(Trait trait) : bits_(static_cast<std::uint32_t>(trait)) {}
  constexpr bool has(Trait trait) const { return (bits_ & static_cast<std::uint32_t>(trait)) != 0; }
  constexpr OperatorTraits operator|(OperatorTraits other) const {
    OperatorTraits both;
    both.bits_ = bits_ | other.bits_;
    return both;
  }

 private:
  std::uint32_t bits_ = 0;
};
constexpr OperatorTraits operator|(Trait one, Trait other) { return OperatorTraits(one) | other; }

/// Empty for operators that the table does not list.
OperatorTraits traits_of(std::string_view op_type);
inline bool has_trait(std::string_view op_type, Trait trait) { return traits_of(op_type).has(trait); }
inline bool has_trait(const onnx::Node& node, Trait trait) { return has_trait(node.op_type(), trait); }
/// Whether it is an activation function, in the standard domain or in that of a runtime.
bool is_activation(std::string_view op_type);
/// Whether it computes with quantised numbers or converts them, by the naming conventions of ONNX and ONNX
/// Runtime.
bool is_quantised(std::string_view op_type);
inline bool is_view(OperatorTraits traits) {
  return traits.has(Trait::keeps_elements) || traits.has(Trait::reshapes);
}

}  // namespace thence::dataflow
