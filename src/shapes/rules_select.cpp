// Operators that select parts of a tensor, or combine parts.
#include <algorithm>

#include "shapes/shape_rules.h"

namespace thence::shapes {
namespace {

// Whether a slice with step -1 reverses the whole dimension.
bool is_reversal(Size start, Size end) {
  if (!start.is_number() || !end.is_number()) return false;
  return (start.value == -1 || start.value >= min_open_slice_end) && end.value <= -min_open_slice_end;
}

// Clamps a position to a dimension of known size. Negative positions count from the end.
Size clamp_to_dimension(Size at, std::int64_t dim) {
  if (!at.is_number()) return at;
  if (at.value < 0) at.value = std::max<std::int64_t>(at.value, -dim) + dim;
  return std::min(at.value, dim);
}

// The range of a slice. The end is unknown if it may exceed the dimension.
struct SliceRange {
  Size start, end;
};

SliceRange slice_range(Sizes& sizes, Size dim, Size start, Size end) {
  if (dim.is_number()) return {clamp_to_dimension(start, dim.value), clamp_to_dimension(end, dim.value)};
  if (end.is_number() && end.value >= min_open_slice_end) end = dim;
  if (end.is_number() && end.value < 0) end = sizes.add(dim, end);
  if (end.is_number()) return {};
  if (start.is_number() && start.value < 0) start = sizes.add(dim, start);
  return {start, end};
}

// The length of a slice. If only one of the size and the end is a number, a slice up to a named size is
// assumed to be within the dimension, because otherwise the model would fail at run time.
Size slice_length(Sizes& sizes, Size dim, Size start, Size end, Size step) {
  if (!step.is_number() || step.value == 0 || !start.known() || !end.known()) return {};
  if (step.value < 0) return step.value == -1 && is_reversal(start, end) ? dim : Size();
  const SliceRange taken = slice_range(sizes, dim, start, end);
  if (!taken.end.known()) return {};
  const Size span = sizes.subtract(taken.end, taken.start);
  if (span.is_number() && span.value <= 0) return 0;
  if (step.is(1)) return span;
  return sizes.floor_divide(sizes.add(span, step.value - 1), step);
}

Content list_of(InferenceContext& context, std::size_t input, std::string_view attribute) {
  if (context.has_input(input)) return context.content(input);
  const auto numbers = context.integers(attribute);
  if (!numbers) return std::nullopt;
  return std::vector<Size>(numbers->begin(), numbers->end());
}

// The part of a short list that a slice selects.
Content sliced_list(const std::vector<Size>& list, Size start, Size end, Size step) {
  if (!start.is_number() || !end.is_number() || !step.is_number()) return std::nullopt;
  const auto length = static_cast<std::int64_t>(list.size());
  const auto clamped = [&](std::int64_t at, std::int64_t least, std::int64_t most) {
    if (at < 0) at = std::max(at, -length - 1) + length;
    return std::clamp(at, least, most);
  };
  std::vector<Size> part;
  if (step.value > 0) {
    const std::int64_t stop = clamped(end.value, 0, length), by = std::min(step.value, length + 1);
    for (std::int64_t i = clamped(start.value, 0, length); i < stop; i += by)
      part.push_back(list[static_cast<std::size_t>(i)]);
  } else if (step.value < 0) {
    const std::int64_t stop = clamped(end.value, -1, length - 1), by = std::max(step.value, -length - 1);
    for (std::int64_t i = clamped(start.value, -1, length - 1); i > stop; i += by)
      part.push_back(list[static_cast<std::size_t>(i)]);
  }
  return part;
}

// The parameters of Slice for one axis.
struct AxisSlice {
  Size axis, start, end, step;
};

// The axes of a slice: as given, else the first ones.
Content sliced_axes(InferenceContext& context, std::size_t starts) {
  const Content given = list_of(context, 3, "axes");
  if (given || context.has_input(3)) return given;
  std::vector<Size> axes;
  for (std::size_t i = 0; i < starts; ++i) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

// Unknown steps if they are not known, or if their number differs from that of the axes.
std::vector<Size> sliced_steps(InferenceContext& context, std::size_t axes) {
  if (!context.has_input(4)) return std::vector<Size>(axes, Size(1));
  const Content steps = context.content(4);
  return steps && steps->size() == axes ? *steps : std::vector<Size>(axes);
}

std::optional<std::vector<AxisSlice>> slices_of(InferenceContext& context) {
  const Content starts = list_of(context, 1, "starts"), ends = list_of(context, 2, "ends");
  const Content axes = sliced_axes(context, starts ? starts->size() : 0);
  if (!axes || !starts || !ends || starts->size() != axes->size() || ends->size() != axes->size())
    return std::nullopt;
  const std::vector<Size> steps = sliced_steps(context, axes->size());
  std::vector<AxisSlice> slices;
  for (std::size_t i = 0; i < axes->size(); ++i)
    slices.push_back({(*axes)[i], (*starts)[i], (*ends)[i], steps[i]});
  return slices;
}

// Selects rows of a small table; exporters use this to reverse a list of paddings.
Content sliced_rows(const std::vector<Size>& table, std::size_t width, const AxisSlice& slice) {
  std::vector<Size> rows, kept;
  for (std::size_t row = 0; row < table.size() / width; ++row) rows.push_back(static_cast<std::int64_t>(row));
  const Content chosen = sliced_list(rows, slice.start, slice.end, slice.step);
  if (!chosen) return std::nullopt;
  for (const Size row : *chosen)
    for (std::size_t i = 0; i < width; ++i)
      kept.push_back(table[static_cast<std::size_t>(row.value) * width + i]);
  return kept;
}

void slice_content(InferenceContext& context, const Shape& to, const AxisSlice& slice) {
  const Content list = context.content(0);
  if (!list) return;
  if (to.rank() == 1) return context.set_content(0, sliced_list(*list, slice.start, slice.end, slice.step));
  if (to.rank() != 2 || to.axis(slice.axis.value) != 0u || !to[1].is_number() || to[1].value <= 0) return;
  if (const Content rows = sliced_rows(*list, static_cast<std::size_t>(to[1].value), slice))
    context.set_content(0, rows);
}

}  // namespace

void slice(InferenceContext& context) {
  Shape to = context.shape(0);
  if (!to.known()) return;
  const auto slices = slices_of(context);
  if (!slices) return context.set_shape(0, Shape::of_rank(to.rank()));
  for (const AxisSlice& one : *slices) {
    const auto axis = one.axis.is_number() ? to.axis(one.axis.value) : std::nullopt;
    if (!axis) return context.set_shape(0, Shape::of_rank(to.rank()));
    to[*axis] = slice_length(context.sizes, to[*axis], one.start, one.end, one.step);
  }
  context.set_shape(0, to);
  if (slices->size() == 1) slice_content(context, to, slices->front());
}

void split(InferenceContext& context) {
  Shape part = context.shape(0);
  const auto axis = part.axis(context.integer("axis", 0));
  if (!axis) return;
  const Size whole = part[*axis];
  const Content list = part.rank() == 1 ? context.content(0) : std::nullopt;
  const Content lengths = list_of(context, 1, "split");
  const auto count = static_cast<std::int64_t>(context.output_count());
  const bool given = context.has_input(1) || lengths.has_value();
  Sizes& sizes = context.sizes;
  const Size chunk =
      whole.is_number() ? sizes.floor_divide(sizes.add(whole, count - 1), count) : sizes.divide(whole, count);
  Size start = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto position = static_cast<std::size_t>(i);
    Size length = given ? Size() : chunk;
    if (lengths && position < lengths->size()) length = (*lengths)[position];
    if (!given && i + 1 == count && whole.is_number())
      length = sizes.subtract(whole, sizes.multiply(chunk, count - 1));
    part[*axis] = length;
    context.set_shape(position, part);
    const Size end = sizes.add(start, length);
    if (list) context.set_content(position, sliced_list(*list, start, end, 1));
    start = end;
  }
}

namespace {

// The shape of the concatenated inputs; empty if their shapes are unknown.
std::optional<Shape> concatenated(InferenceContext& context, Shape to, std::size_t axis) {
  for (std::size_t i = 1; i < context.input_count(); ++i) {
    const Shape other = context.shape(i);
    if (!other.known() || other.rank() != to.rank()) return std::nullopt;
    for (std::size_t d = 0; d < to.rank(); ++d)
      if (d == axis)
        to[d] = context.sizes.add(to[d], other[d]);
      else if (other[d].is_number() || !to[d].known())
        to[d] = other[d];
  }
  return to;
}

// The concatenated contents of lists. An unknown list contributes unknown numbers.
Content concatenated_lists(InferenceContext& context) {
  if (context.input_count() > max_content_elements) return std::nullopt;
  std::vector<Size> all;
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    if (const Content part = context.content(i)) {
      all.insert(all.end(), part->begin(), part->end());
    } else {
      const Size length = context.shape(i)[0];
      if (!length.is_number() || length.value > static_cast<std::int64_t>(max_content_elements))
        return std::nullopt;
      all.resize(all.size() + static_cast<std::size_t>(length.value));
    }
    if (all.size() > max_content_elements) return std::nullopt;
  }
  return all;
}

}  // namespace

void concat(InferenceContext& context) {
  const Shape first = context.shape(0);
  const auto axis = first.axis(context.integer("axis", 1));
  if (!axis) return;
  const std::optional<Shape> to = concatenated(context, first, *axis);
  context.set_shape(0, to ? *to : Shape::of_rank(first.rank()));
  if (!to || to->rank() != 1) return;
  if (const Content all = concatenated_lists(context)) context.set_content(0, all);
}

namespace {

// The elements of a list at given positions. Negative positions count from the end.
std::vector<Size> gathered(const std::vector<Size>& list, const std::vector<Size>& positions) {
  const auto length = static_cast<std::int64_t>(list.size());
  std::vector<Size> found;
  for (const Size position : positions) {
    const std::int64_t at = position.value < 0 ? position.value + length : position.value;
    const bool is_inside = position.is_number() && at >= 0 && at < length;
    found.push_back(is_inside ? list[static_cast<std::size_t>(at)] : Size());
  }
  return found;
}

}  // namespace

void gather(InferenceContext& context) {
  const Shape from = context.shape(0), indices = context.shape(1);
  const auto axis = from.axis(context.integer("axis", 0));
  if (!axis || !indices.known()) return;
  Shape to = Shape::of_rank(0);
  for (std::size_t i = 0; i < from.rank(); ++i) {
    if (i != *axis) {
      to.push(from[i]);
      continue;
    }
    for (const Size size : indices.sizes()) to.push(size);
  }
  context.set_shape(0, to);
  if (from.rank() != 1 || indices.rank() > 1) return;
  const Content list = context.content(0), positions = context.content(1);
  if (list && positions) context.set_content(0, gathered(*list, *positions));
}

void gather_elements(InferenceContext& context) { context.copy_shape(0, 1); }

void gather_nd(InferenceContext& context) {
  const Shape from = context.shape(0), indices = context.shape(1);
  if (!from.known() || !indices.known() || indices.rank() == 0 || !indices.last().is_number()) return;
  const std::int64_t batch = context.integer("batch_dims", 0), taken = indices.last().value;
  const auto rank = static_cast<std::int64_t>(from.rank());
  if (batch < 0 || taken < 0 || batch > rank || taken > rank - batch) return;
  Shape to = Shape::of_rank(0);
  for (std::size_t i = 0; i + 1 < indices.rank(); ++i) to.push(indices[i]);
  for (auto i = static_cast<std::size_t>(batch + taken); i < from.rank(); ++i) to.push(from[i]);
  context.set_shape(0, to);
}

void one_hot(InferenceContext& context) {
  const Shape from = context.shape(0);
  if (!from.known()) return;
  const Shape output = Shape::of_rank(from.rank() + 1);
  const auto axis = output.axis(context.integer("axis", -1));
  if (!axis) return;
  Shape to = Shape::of_rank(0);
  for (std::size_t i = 0; i <= from.rank(); ++i)
    to.push(i == *axis ? context.scalar(1) : from[i < *axis ? i : i - 1]);
  context.set_shape(0, to);
}

void top_k(InferenceContext& context) {
  Shape to = context.shape(0);
  const auto axis = to.axis(context.integer("axis", -1));
  if (!axis) return;
  to[*axis] = context.has_input(1) ? context.scalar(1) : Size(context.integer("k", 0));
  context.set_shape(0, to);
  context.set_shape(1, to);
}

void non_zero(InferenceContext& context) {
  const Shape from = context.shape(0);
  Shape to = Shape::of_rank(2);
  if (from.known()) to[0] = static_cast<std::int64_t>(from.rank());
  context.set_shape(0, to);
}

}  // namespace thence::shapes
