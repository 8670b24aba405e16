// Operators that change the shape or order of data, or repeat or pad it.
#include <algorithm>

#include "shapes/rules.h"

namespace thence::shapes {
namespace {

// The size for -1: the number of elements divided by the other dimensions. Dimensions of both shapes are
// cancelled first, so that the rest is mostly a number.
Size the_rest(Sizes& sizes, const Shape& from, const Shape& to, std::size_t rest) {
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
Content wanted_shape(Call& call) {
  if (call.has(1)) return call.content(1);
  const auto numbers = call.integers("shape");
  if (!numbers) return std::nullopt;
  return std::vector<Size>(numbers->begin(), numbers->end());
}

// If only the length of the requested list is known, it gives the rank of the output.
void reshape_to_rank(Call& call) {
  const Shape list = call.shape(1);
  if (!list.known() || list.rank() != 1 || !list[0].is_number()) return;
  const std::int64_t rank = list[0].value;
  if (rank >= 0 && rank <= static_cast<std::int64_t>(Shape::most))
    call.give(0, Shape::of_rank(static_cast<std::size_t>(rank)));
}

// Replaces 0 by the size of the input, and finds the dimension that is -1. False if the list is not a valid
// shape: it has two -1, or another negative number.
bool take_from_input(Shape& to, const Shape& from, bool zero_is_zero, std::optional<std::size_t>& rest) {
  bool one_rest = true;
  for (std::size_t i = 0; i < to.rank(); ++i) {
    if (to[i].is(0) && !zero_is_zero) to[i] = from.known() && i < from.rank() ? from[i] : Size();
    if (to[i].is(-1)) {
      one_rest = !rest;
      rest = i;
    } else if (to[i].is_number() && to[i].value < 0) {
      return false;
    }
  }
  return one_rest;
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

std::vector<bool> marked(const Shape& shape, const std::vector<std::int64_t>& axes, bool& good) {
  std::vector<bool> marks(shape.rank());
  for (const std::int64_t one : axes) {
    const auto axis = shape.axis(one);
    good = good && axis.has_value();
    if (axis) marks[*axis] = true;
  }
  return marks;
}

}  // namespace

void reshape(Call& call) {
  const Shape from = call.shape(0);
  const Content wanted = wanted_shape(call);
  if (!wanted) return reshape_to_rank(call);
  Shape to(*wanted);
  if (!to.known()) return;
  std::optional<std::size_t> rest;
  if (!take_from_input(to, from, call.integer("allowzero", 0) != 0, rest)) return;
  // An unknown number may itself be -1. It can be computed only if the list has no -1.
  if (rest)
    to[*rest] = Size();
  else
    rest = only_unknown(to);
  if (rest && from.known()) to[*rest] = the_rest(call.sizes, from, to, *rest);
  call.give(0, to);
  if (to.rank() <= 2) call.give_content(0, call.content(0));
}

void flatten(Call& call) {
  const Shape from = call.shape(0);
  if (!from.known()) return call.give(0, Shape::of_rank(2));
  std::int64_t axis = call.integer("axis", 1);
  const auto rank = static_cast<std::int64_t>(from.rank());
  if (axis < -rank || axis > rank) return;
  if (axis < 0) axis += rank;
  Size before = 1, after = 1;
  for (std::size_t i = 0; i < from.rank(); ++i) {
    Size& side = static_cast<std::int64_t>(i) < axis ? before : after;
    side = call.sizes.multiply(side, from[i]);
  }
  call.give(0, {before, after});
}

namespace {

// The result of Transpose, by its permutation or, without one, with all dimensions reversed.
std::optional<Shape> transposed(Call& call, const Shape& from) {
  Shape to = Shape::of_rank(from.rank());
  const bool given = call.attribute("perm").has_value();
  const auto order = call.integers("perm");
  if (given && (!order || order->size() != from.rank())) return std::nullopt;
  for (std::size_t i = 0; i < from.rank(); ++i) {
    const auto axis = given ? from.axis((*order)[i]) : std::optional(from.rank() - 1 - i);
    if (!axis) return std::nullopt;
    to[i] = from[*axis];
  }
  return to;
}

std::vector<Size> transposed_table(const std::vector<Size>& content, std::size_t width) {
  std::vector<Size> columns;
  for (std::size_t column = 0; column < width; ++column)
    for (std::size_t at = column; at < content.size(); at += width) columns.push_back(content[at]);
  return columns;
}

}  // namespace

void transpose(Call& call) {
  const Shape from = call.shape(0);
  if (!from.known()) return;
  const std::optional<Shape> to = transposed(call, from);
  if (!to) return;
  call.give(0, *to);
  if (from.rank() <= 1) call.give_content(0, call.content(0));
  const Content content = from.rank() == 2 ? call.content(0) : std::nullopt;
  if (!content || !((*to)[0] == from[1]) || !from[1].is_number() || from[1].value <= 0) return;
  call.give_content(0, transposed_table(*content, static_cast<std::size_t>(from[1].value)));
}

void squeeze(Call& call) {
  const Shape from = call.shape(0);
  bool given = false, good = true;
  const auto axes = call.numbers(1, "axes", given);
  if (!from.known() || (given && !axes)) return;
  const std::vector<bool> marks = marked(from, axes.value_or(std::vector<std::int64_t>()), good);
  Shape to = Shape::of_rank(0);
  for (std::size_t i = 0; i < from.rank() && good; ++i) {
    if (!given && !from[i].is_number()) good = false;  // the size may be 1
    if (given ? !marks[i] : !from[i].is(1)) to.push(from[i]);
  }
  if (!good) return;
  call.give(0, to);
  if (to.rank() <= 1) call.give_content(0, call.content(0));
}

void unsqueeze(Call& call) {
  const Shape from = call.shape(0);
  bool given = false, good = true;
  const auto axes = call.numbers(1, "axes", given);
  if (!from.known() || !axes) return;
  const Shape room = Shape::of_rank(from.rank() + axes->size());
  const std::vector<bool> marks = marked(room, *axes, good);
  if (!good || static_cast<std::size_t>(std::count(marks.begin(), marks.end(), true)) != axes->size()) return;
  Shape to = Shape::of_rank(0);
  std::size_t next = 0;
  for (const bool mark : marks) to.push(mark ? Size(1) : from[next++]);
  call.give(0, to);
  if (to.rank() <= 1) call.give_content(0, call.content(0));
}

void expand(Call& call) {
  const Content wanted = call.content(1);
  if (!wanted) return;
  const Shape to(*wanted);
  const Shape made = broadcast(call.shape(0), to);
  call.give(0, made);
  const Content content = call.content(0);
  if (content && content->size() == 1 && made.known() && made.rank() == 1 && made[0].is_number() &&
      made[0].value >= 0 && made[0].value <= static_cast<std::int64_t>(most_content))
    call.give_content(0, std::vector<Size>(static_cast<std::size_t>(made[0].value), content->front()));
}

void tile(Call& call) {
  Shape to = call.shape(0);
  const Content times = call.content(1);
  if (!to.known()) return;
  if (times && times->size() != to.rank()) return;
  for (std::size_t i = 0; i < to.rank(); ++i)
    to[i] = times ? call.sizes.multiply(to[i], (*times)[i]) : Size();
  call.give(0, to);
}

void pad(Call& call) {
  Shape to = call.shape(0);
  if (!to.known()) return;
  Content pads = call.content(1);
  if (!call.has(1))
    if (const auto numbers = call.integers("pads")) pads.emplace(numbers->begin(), numbers->end());
  bool given = false, good = true;
  const auto axes = call.numbers(3, "axes", given);
  const std::size_t count = given ? (axes ? axes->size() : 0) : to.rank();
  if (!pads || pads->size() != 2 * count) return call.give(0, Shape::of_rank(to.rank()));
  for (std::size_t i = 0; i < count && good; ++i) {
    const auto axis = given ? to.axis((*axes)[i]) : std::optional(i);
    good = axis.has_value();
    if (good) to[*axis] = call.sizes.add(to[*axis], call.sizes.add((*pads)[i], (*pads)[count + i]));
  }
  if (good) call.give(0, to);
}

void depth_to_space(Call& call) {
  const Shape from = call.shape(0);
  const Size block = call.integer("blocksize", 0);
  if (!from.known() || from.rank() != 4 || block.value <= 0) return;
  Sizes& sizes = call.sizes;
  call.give(0, {from[0], sizes.divide(from[1], sizes.multiply(block, block)), sizes.multiply(from[2], block),
                sizes.multiply(from[3], block)});
}

void space_to_depth(Call& call) {
  const Shape from = call.shape(0);
  const Size block = call.integer("blocksize", 0);
  if (!from.known() || from.rank() != 4 || block.value <= 0) return;
  Sizes& sizes = call.sizes;
  call.give(0, {from[0], sizes.multiply(from[1], sizes.multiply(block, block)), sizes.divide(from[2], block),
                sizes.divide(from[3], block)});
}

}  // namespace thence::shapes
