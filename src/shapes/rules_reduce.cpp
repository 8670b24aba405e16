// Reductions along some of the axes of a tensor.
#include "shapes/shape_rules.h"

namespace thence::shapes {
namespace {

void reduce_axes(InferenceContext& context, const std::optional<std::vector<std::int64_t>>& axes, bool all) {
  const Shape from = context.shape(0);
  if (!from.known()) return;
  const bool keep = context.integer("keepdims", 1) != 0;
  if (!axes && !all) {
    if (keep) context.set_shape(0, Shape::of_rank(from.rank()));
    return;
  }
  std::vector<bool> is_reduced(from.rank(), all);
  if (!all)
    for (const std::int64_t one : *axes) {
      const auto axis = from.axis(one);
      if (!axis) return;
      is_reduced[*axis] = true;
    }
  Shape to = Shape::of_rank(0);
  for (std::size_t i = 0; i < from.rank(); ++i) {
    if (!is_reduced[i]) to.push(from[i]);
    if (is_reduced[i] && keep) to.push(1);
  }
  context.set_shape(0, to);
}

// The product or sum of a list of sizes, such as the number of elements.
void reduce_list(InferenceContext& context) {
  const Content list = context.content(0);
  if (!list || context.shape(0).rank() != 1) return;
  Size result = context.op() == "ReduceProd" ? 1 : 0;
  for (const Size size : *list)
    result =
        context.op() == "ReduceProd" ? context.sizes.multiply(result, size) : context.sizes.add(result, size);
  context.set_content(0, std::vector<Size>{result});
}

}  // namespace

void reduce(InferenceContext& context) {
  bool is_given = false;
  const auto axes = context.numbers(1, "axes", is_given);
  const bool has_no_axes = !is_given || (axes && axes->empty());
  if (has_no_axes && context.integer("noop_with_empty_axes", 0) != 0) return context.copy_shape(0, 0);
  reduce_axes(context, axes, has_no_axes);
  if (context.op() == "ReduceProd" || context.op() == "ReduceSum") reduce_list(context);
}

void arg_reduce(InferenceContext& context) {
  reduce_axes(context, std::vector<std::int64_t>{context.integer("axis", 0)}, false);
}

}  // namespace thence::shapes
