// Reductions along some of the axes of a tensor.
#include "shapes/rules.h"

namespace thence::shapes {
namespace {

void reduce_axes(Call& call, const std::optional<std::vector<std::int64_t>>& axes, bool all) {
  const Shape from = call.shape(0);
  if (!from.known()) return;
  const bool keep = call.integer("keepdims", 1) != 0;
  if (!axes && !all) {
    if (keep) call.give(0, Shape::of_rank(from.rank()));
    return;
  }
  std::vector<bool> gone(from.rank(), all);
  if (!all)
    for (const std::int64_t one : *axes) {
      const auto axis = from.axis(one);
      if (!axis) return;
      gone[*axis] = true;
    }
  Shape to = Shape::of_rank(0);
  for (std::size_t i = 0; i < from.rank(); ++i) {
    if (!gone[i]) to.push(from[i]);
    if (gone[i] && keep) to.push(1);
  }
  call.give(0, to);
}

// The product or sum of a list of sizes, such as the number of elements.
void reduce_list(Call& call) {
  const Content list = call.content(0);
  if (!list || call.shape(0).rank() != 1) return;
  Size made = call.op() == "ReduceProd" ? 1 : 0;
  for (const Size size : *list)
    made = call.op() == "ReduceProd" ? call.sizes.multiply(made, size) : call.sizes.add(made, size);
  call.give_content(0, std::vector<Size>{made});
}

}  // namespace

void reduce(Call& call) {
  bool given = false;
  const auto axes = call.numbers(1, "axes", given);
  const bool none = !given || (axes && axes->empty());
  if (none && call.integer("noop_with_empty_axes", 0) != 0) return call.give_like(0, 0);
  reduce_axes(call, axes, none);
  if (call.op() == "ReduceProd" || call.op() == "ReduceSum") reduce_list(call);
}

void arg_reduce(Call& call) { reduce_axes(call, std::vector<std::int64_t>{call.integer("axis", 0)}, false); }

}  // namespace thence::shapes
