// The common vocabulary: operators that rewriters replace one by another, spelled as what they compute.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "onnx/model.h"

namespace thence::transfer {

/// What a node does to its first input, as far as values are concerned.
enum class View : std::uint8_t {
  not_one,   // it computes something
  same,      // the same elements in the same shape: Identity, Cast, QuantizeLinear
  reshapes,  // the same elements in another shape or order
};
View view_of(std::string_view op);

/// Of Mul, Div and Add by a number: whether only a scale or nothing is left of it.
bool is_scaling(std::string_view op);

/// Whether it takes any number of inputs: of one it makes the same.
bool is_variadic(std::string_view op);

/// Whether of single numbers it makes a single number.
bool is_elementwise(std::string_view op);

/// Whether the order of the inputs does not matter.
bool is_commutative(std::string_view op);

/// One operation of the vocabulary: which of the node's inputs it reads, and `before`: the one before it.
struct Spelled {
  std::string_view op;
  std::vector<int> inputs = {};  // places in the node's inputs; `before` for what was computed so far
  std::size_t all = 0;           // instead: so many, in order
  static constexpr int before = -1;

  std::size_t input_count() const { return all > 0 ? all : inputs.size(); }
  int input(std::size_t i) const { return all > 0 ? static_cast<int>(i) : inputs[i]; }
};

/// Of operators that also give out what they compute on the way: the place of that output; none: -1.
int output_on_the_way(std::string_view op);

/// What an operator is called among views: those that rewriters replace one by another are one.
std::string_view view_name(std::string_view op);

/// Whether a quantised operator may cut off what an activation after it would.
bool may_cut_off(std::string_view op);
bool is_cut_off(std::string_view op);

/// Whether it may give just what it reads, and be left out then.
bool may_do_nothing(std::string_view op);

/// Whether its attribute alpha is a factor of the product.
bool multiplies(std::string_view op);

/// Whether it gives sums of quantised numbers: what takes them out of that form, a quantiser put in.
bool gives_integers(std::string_view op);

/// How a node is spelled; itself for most. The last one makes the node's first output.
std::vector<Spelled> spelled(const onnx::Node& node);

/// The operator of that last one; nothing is listed for it.
std::string_view last_operation(const onnx::Node& node);

}  // namespace thence::transfer
