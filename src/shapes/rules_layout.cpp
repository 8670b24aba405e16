// Operators that change the shape or order of data, or repeat or pad it.
#include <algorithm>

#include "shapes/shape_rules.h"

namespace thence::shapes {
namespace {

// The size for -1: the number of elements divided by the other dimensions. Dimensions of both shapes are
// cancelled first, so that the rest is mostly a number.
Size inferred_dimension(Sizes& sizes, const Shape& from, const Shape& to, std::size_t rest) {
  std::vector<Size> left(from.sizes().begin(), from.sizes().end());
  Size divisor = 1;
  for (std::size_t i = 0; i < to.rank(); ++i) {
    if (i == rest) continue;
    const auto same = std::find(left.begin(), left.end(), to[i]);
    if (to[i].known() && !to[i].is(0) && same != left.end())
      left.erase(same);
    else
      divisor = sizes.multiply(divisor, to[i]);
  }
  Size all = 1;
  for (const Size size : left) all = sizes.multiply(all, size);
  return divisor.is(0) ? Size() : sizes.divide(all, divisor);
}

// The shape requested by Reshape, as a list of sizes; before opset 5 it is an attribute.
Content requested_shape(InferenceContext& context) {
  if (context.has_input(1)) return context.content(1);
  const auto numbers = context.integers("shape");
  if (!numbers) return std::nullopt;
  return std::vector<Size>(numbers->begin(), numbers->end());
}

// If only the length of the requested list is known, it gives the rank of the output.
void reshape_to_rank(InferenceContext& context) {
  const Shape list = context.shape(1);
  if (!list.known() || list.rank() != 1 || !list[0].is_number()) return;
  const std::int64_t rank = list[0].value;
  if (rank >= 0 && rank <= static_cast<std::int64_t>(Shape::max_rank))
    context.set_shape(0, Shape::of_rank(static_cast<std::size_t>(rank)));
}

// Replaces 0 by the size of the input, and finds the dimension that is -1. False if the list is not a valid
// shape: it has two -1, or another negative number.
bool resolve_zeros(Shape& to, const Shape& from, bool zero_is_zero, std::optional<std::size_t>& rest) {
  bool has_one_rest = true;
  for (std::size_t i = 0; i < to.rank(); ++i) {
    if (to[i].is(0) && !zero_is_zero) to[i] = from.known() && i < from.rank() ? from[i] : Size();
    if (to[i].is(-1)) {
      has_one_rest = !rest;
      rest = i;
    } else if (to[i].is_number() && to[i].value < 0) {
      return false;
    }
  }
  return has_one_rest;
}

// The only dimension of unknown size, if there is exactly one.
std::optional<std::size_t> only_unknown(const Shape& shape) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (shape[i].known()) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::vector<bool> axis_mask(const Shape& shape, const std::vector<std::int64_t>& axes, bool& is_valid) {
  std::vector<bool> mask(shape.rank());
  for (const std::int64_t one : axes) {
    const auto axis = shape.axis(one);
    is_valid = is_valid && axis.has_value();
    if (axis) mask[*axis] = true;
  }
  return mask;
}

}  // namespace

void reshape(InferenceContext& context) {
  const Shape from = context.shape(0);
  const Content requested = requested_shape(context);
  if (!requested) return reshape_to_rank(context);
  Shape to(*requested);
  if (!to.known()) return;
  std::optional<std::size_t> rest;
  if (!resolve_zeros(to, from, context.integer("allowzero", 0) != 0, rest)) return;
  // An unknown number may itself be -1. It can be computed only if the list has no -1.
  if (rest)
    to[*rest] = Size();
  else
    rest = only_unknown(to);
  if (rest && from.known()) to[*rest] = inferred_dimension(context.sizes, from, to, *rest);
  context.set_shape(0, to);
  if (to.rank() <= 2) context.set_content(0, context.content(0));
}

void flatten(InferenceContext& context) {
  const Shape from = context.shape(0);
  if (!from.known()) return context.set_shape(0, Shape::of_rank(2));
  std::int64_t axis = context.integer("axis", 1);
  const auto rank = static_cast<std::int64_t>(from.rank());
  if (axis < -rank || axis > rank) return;
  if (axis < 0) axis += rank;
  Size before = 1, after = 1;
  for (std::size_t i = 0; i < from.rank(); ++i) {
    Size& side = static_cast<std::int64_t>(i) < axis ? before : after;
    side = context.sizes.multiply(side, from[i]);
  }
  context.set_shape(0, {before, after});
}

namespace {

// The result of Transpose, by its permutation or, without one, with all dimensions reversed.
std::optional<Shape> transposed(InferenceContext& context, const Shape& from) {
  Shape to = Shape::of_rank(from.rank());
  const bool is_given = context.attribute("perm").has_value();
  const auto order = context.integers("perm");
  if (is_given && (!order || order->size() != from.rank())) return std::nullopt;
  for (std::size_t i = 0; i < from.rank(); ++i) {
    const auto axis = is_given ? from.axis((*order)[i]) : std::optional(from.rank() - 1 - i);
    if (!axis) return std::nullopt;
    to[i] = from[*axis];
  }
  return to;
}

std::vector<Size> transpose_table(const std::vector<Size>& content, std::size_t width) {
  std::vector<Size> columns;
  for (std::size_t column = 0; column < width; ++column)
    for (std::size_t at = column; at < content.size(); at += width) columns.push_back(content[at]);
  return columns;
}

}  // namespace

void transpose(InferenceContext& context) {
  const Shape from = context.shape(0);
  if (!from.known()) return;
  const std::optional<Shape> to = transposed(context, from);
  if (!to) return;
  context.set_shape(0, *to);
  if (from.rank() <= 1) context.set_content(0, context.content(0));
  const Content content = from.rank() == 2 ? context.content(0) : std::nullopt;
  if (!content || !((*to)[0] == from[1]) || !from[1].is_number() || from[1].value <= 0) return;
  context.set_content(0, transpose_table(*content, static_cast<std::size_t>(from[1].value)));
}

void squeeze(InferenceContext& context) {
  const Shape from = context.shape(0);
  bool is_given = false, is_valid = true;
  const auto axes = context.numbers(1, "axes", is_given);
  if (!from.known() || (is_given && !axes)) return;
  const std::vector<bool> mask = axis_mask(from, axes.value_or(std::vector<std::int64_t>()), is_valid);
  Shape to = Shape::of_rank(0);
  for (std::size_t i = 0; i < from.rank() && is_valid; ++i) {
    if (!is_given && !from[i].is_number()) is_valid = false;  // the size may be 1
    if (is_given ? !mask[i] : !from[i].is(1)) to.push(from[i]);
  }
  if (!is_valid) return;
  context.set_shape(0, to);
  if (to.rank() <= 1) context.set_content(0, context.content(0));
}

void unsqueeze(InferenceContext& context) {
  const Shape from = context.shape(0);
  bool is_given = false, is_valid = true;
  const auto axes = context.numbers(1, "axes", is_given);
  if (!from.known() || !axes) return;
  const Shape output = Shape::of_rank(from.rank() + axes->size());
  const std::vector<bool> mask = axis_mask(output, *axes, is_valid);
  if (!is_valid || static_cast<std::size_t>(std::count(mask.begin(), mask.end(), true)) != axes->size())
    return;
  Shape to = Shape::of_rank(0);
  std::size_t next = 0;
  for (const bool is_inserted : mask) to.push(is_inserted ? Size(1) : from[next++]);
  context.set_shape(0, to);
  if (to.rank() <= 1) context.set_content(0, context.content(0));
}

void expand(InferenceContext& context) {
  const Content requested = context.content(1);
  if (!requested) return;
  const Shape to(*requested);
  const Shape result = broadcast(context.shape(0), to);
  context.set_shape(0, result);
  const Content content = context.content(0);
  if (content && content->size() == 1 && result.known() && result.rank() == 1 && result[0].is_number() &&
      result[0].value >= 0 && result[0].value <= static_cast<std::int64_t>(max_content_elements))
    context.set_content(0, std::vector<Size>(static_cast<std::size_t>(result[0].value), content->front()));
}

void tile(InferenceContext& context) {
  Shape to = context.shape(0);
  const Content times = context.content(1);
  if (!to.known()) return;
  if (times && times->size() != to.rank()) return;
  for (std::size_t i = 0; i < to.rank(); ++i)
    to[i] = times ? context.sizes.multiply(to[i], (*times)[i]) : Size();
  context.set_shape(0, to);
}

void pad(InferenceContext& context) {
  Shape to = context.shape(0);
  if (!to.known()) return;
  Content pads = context.content(1);
  if (!context.has_input(1))
    if (const auto numbers = context.integers("pads")) pads.emplace(numbers->begin(), numbers->end());
  bool is_given = false, is_valid = true;
  const auto axes = context.numbers(3, "axes", is_given);
  const std::size_t count = is_given ? (axes ? axes->size() : 0) : to.rank();
  if (!pads || pads->size() != 2 * count) return context.set_shape(0, Shape::of_rank(to.rank()));
  for (std::size_t i = 0; i < count && is_valid; ++i) {
    const auto axis = is_given ? to.axis((*axes)[i]) : std::optional(i);
    is_valid = axis.has_value();
    if (is_valid) to[*axis] = context.sizes.add(to[*axis], context.sizes.add((*pads)[i], (*pads)[count + i]));
  }
  if (is_valid) context.set_shape(0, to);
}

void depth_to_space(InferenceContext& context) {
  const Shape from = context.shape(0);
  const Size block = context.integer("blocksize", 0);
  if (!from.known() || from.rank() != 4 || block.value <= 0) return;
  Sizes& sizes = context.sizes;
  context.set_shape(0, {from[0], sizes.divide(from[1], sizes.multiply(block, block)),
                        sizes.multiply(from[2], block), sizes.multiply(from[3], block)});
}

void space_to_depth(InferenceContext& context) {
  const Shape from = context.shape(0);
  const Size block = context.integer("blocksize", 0);
  if (!from.known() || from.rank() != 4 || block.value <= 0) return;
  Sizes& sizes = context.sizes;
  context.set_shape(0, {from[0], sizes.multiply(from[1], sizes.multiply(block, block)),
                        sizes.divide(from[2], block), sizes.divide(from[3], block)});
}

}  // namespace thence::shapes
