// Operators that take parts of a tensor, or put parts together.
#include <algorithm>
#include <limits>

#include "shapes/rules.h"

namespace thence::shapes {
namespace {

constexpr std::int64_t far = std::numeric_limits<std::int32_t>::max() / 2;  // exporters write "to the end" so

// How long a slice is. Where only one of the size and the end is a number, a slice up to a named size is
// taken to lie within what it slices, since a model that it does not fit would not run on.
Size sliced(Sizes& sizes, Size dim, Size start, Size end, Size step) {
  if (!step.is_number() || step.value == 0 || !start.known() || !end.known()) return {};
  if (step.value < 0) {
    const bool all = start.is_number() && end.is_number() && (start.value == -1 || start.value >= far) &&
                     end.value <= -far;
    return all && step.value == -1 ? dim : Size();
  }
  if (dim.is_number()) {
    const auto clamped = [&](Size at) -> Size {
      if (!at.is_number()) return at;
      if (at.value < 0) at.value = std::max<std::int64_t>(at.value, -dim.value) + dim.value;
      return std::min(at.value, dim.value);
    };
    start = clamped(start);
    end = clamped(end);
  } else {
    if (end.is_number() && end.value >= far) end = dim;
    if (end.is_number() && end.value < 0) end = sizes.add(dim, end);
    if (end.is_number()) return {};  // it may lie beyond
    if (start.is_number() && start.value < 0) start = sizes.add(dim, start);
  }
  const Size span = sizes.subtract(end, start);
  if (span.is_number() && span.value <= 0) return 0;
  if (step.is(1)) return span;
  return sizes.floor_divide(sizes.add(span, step.value - 1), step);
}

Content list_of(Call& call, std::size_t input, std::string_view attribute) {
  if (call.has(input)) return call.content(input);
  const auto numbers = call.integers(attribute);
  if (!numbers) return std::nullopt;
  return std::vector<Size>(numbers->begin(), numbers->end());
}

// The part of a short list that a slice leaves.
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

}  // namespace

void slice(Call& call) {
  Shape to = call.shape(0);
  const Content starts = list_of(call, 1, "starts"), ends = list_of(call, 2, "ends");
  if (!to.known()) return;
  Content axes = list_of(call, 3, "axes");
  if (!axes && !call.has(3)) {
    axes.emplace();
    for (std::size_t i = 0; starts && i < starts->size(); ++i) axes->push_back(static_cast<std::int64_t>(i));
  }
  if (!axes || !starts || !ends || starts->size() != axes->size() || ends->size() != axes->size())
    return call.give(0, Shape::of_rank(to.rank()));
  Content steps = call.has(4) ? call.content(4) : std::vector<Size>(axes->size(), Size(1));
  if (!steps || steps->size() != axes->size()) steps.emplace(axes->size());
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto axis = (*axes)[i].is_number() ? to.axis((*axes)[i].value) : std::nullopt;
    if (!axis) return call.give(0, Shape::of_rank(to.rank()));
    to[*axis] = sliced(call.sizes, to[*axis], (*starts)[i], (*ends)[i], (*steps)[i]);
  }
  call.give(0, to);
  const Content list = call.content(0);
  if (!list || axes->size() != 1) return;
  if (to.rank() == 1) return call.give_content(0, sliced_list(*list, (*starts)[0], (*ends)[0], (*steps)[0]));
  // Some rows of a small table, which is how exporters turn a list of paddings around.
  if (to.rank() != 2 || to.axis((*axes)[0].value) != 0u || !to[1].is_number() || to[1].value <= 0) return;
  const auto width = static_cast<std::size_t>(to[1].value);
  std::vector<Size> rows, kept;
  for (std::size_t row = 0; row < list->size() / width; ++row) rows.push_back(static_cast<std::int64_t>(row));
  const Content chosen = sliced_list(rows, (*starts)[0], (*ends)[0], (*steps)[0]);
  if (!chosen) return;
  for (const Size row : *chosen)
    for (std::size_t i = 0; i < width; ++i)
      kept.push_back((*list)[static_cast<std::size_t>(row.value) * width + i]);
  call.give_content(0, kept);
}

void split(Call& call) {
  Shape part = call.shape(0);
  const auto axis = part.axis(call.integer("axis", 0));
  if (!axis) return;
  const Size whole = part[*axis];
  const Content list = part.rank() == 1 ? call.content(0) : std::nullopt;
  const Content lengths = list_of(call, 1, "split");
  const auto count = static_cast<std::int64_t>(call.outputs());
  const bool given = call.has(1) || lengths.has_value();
  Sizes& sizes = call.sizes;
  const Size chunk =
      whole.is_number() ? sizes.floor_divide(sizes.add(whole, count - 1), count) : sizes.divide(whole, count);
  Size start = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(i);
    Size length = given ? Size() : chunk;
    if (lengths && place < lengths->size()) length = (*lengths)[place];
    if (!given && i + 1 == count && whole.is_number())
      length = sizes.subtract(whole, sizes.multiply(chunk, count - 1));
    part[*axis] = length;
    call.give(place, part);
    const Size end = sizes.add(start, length);
    if (list) call.give_content(place, sliced_list(*list, start, end, 1));
    start = end;
  }
}

void concat(Call& call) {
  Shape to = call.shape(0);
  const auto axis = to.axis(call.integer("axis", 1));
  bool shapes_known = axis.has_value();
  for (std::size_t i = 1; i < call.inputs() && shapes_known; ++i) {
    const Shape other = call.shape(i);
    shapes_known = other.known() && other.rank() == to.rank();
    for (std::size_t d = 0; d < to.rank() && shapes_known; ++d)
      if (d == *axis)
        to[d] = call.sizes.add(to[d], other[d]);
      else if (other[d].is_number() || !to[d].known())
        to[d] = other[d];
  }
  if (!shapes_known) {
    if (axis) call.give(0, Shape::of_rank(to.rank()));
    return;
  }
  call.give(0, to);
  if (to.rank() != 1 || call.inputs() > Values::most_content) return;
  std::vector<Size> all;
  for (std::size_t i = 0; i < call.inputs(); ++i) {
    const Content part = call.content(i);
    if (part) {
      all.insert(all.end(), part->begin(), part->end());
    } else {
      const Size length = call.shape(i)[0];
      if (!length.is_number() || length.value > static_cast<std::int64_t>(Values::most_content)) return;
      all.resize(all.size() + static_cast<std::size_t>(length.value));  // so many unknown numbers
    }
    if (all.size() > Values::most_content) return;
  }
  call.give_content(0, all);
}

void gather(Call& call) {
  const Shape from = call.shape(0), where = call.shape(1);
  const auto axis = from.axis(call.integer("axis", 0));
  if (!axis || !where.known()) return;
  Shape to = Shape::of_rank(0);
  for (std::size_t i = 0; i < from.rank(); ++i) {
    if (i != *axis) {
      to.push(from[i]);
      continue;
    }
    for (const Size size : where.sizes()) to.push(size);
  }
  call.give(0, to);
  if (from.rank() != 1 || where.rank() > 1) return;
  const Content list = call.content(0), places = call.content(1);
  if (!list || !places) return;
  std::vector<Size> found;
  for (const Size place : *places) {
    const auto length = static_cast<std::int64_t>(list->size());
    const std::int64_t at = place.is_number() && place.value < 0 ? place.value + length : place.value;
    found.push_back(place.is_number() && at >= 0 && at < length ? (*list)[static_cast<std::size_t>(at)]
                                                                : Size());
  }
  call.give_content(0, found);
}

void gather_elements(Call& call) { call.give_like(0, 1); }

void gather_nd(Call& call) {
  const Shape from = call.shape(0), where = call.shape(1);
  if (!from.known() || !where.known() || where.rank() == 0 || !where.last().is_number()) return;
  const std::int64_t batch = call.integer("batch_dims", 0), taken = where.last().value;
  const auto rank = static_cast<std::int64_t>(from.rank());
  if (batch < 0 || taken < 0 || batch > rank || taken > rank - batch) return;
  Shape to = Shape::of_rank(0);
  for (std::size_t i = 0; i + 1 < where.rank(); ++i) to.push(where[i]);
  for (auto i = static_cast<std::size_t>(batch + taken); i < from.rank(); ++i) to.push(from[i]);
  call.give(0, to);
}

void one_hot(Call& call) {
  const Shape from = call.shape(0);
  if (!from.known()) return;
  const Shape room = Shape::of_rank(from.rank() + 1);
  const auto axis = room.axis(call.integer("axis", -1));
  if (!axis) return;
  Shape to = Shape::of_rank(0);
  for (std::size_t i = 0; i <= from.rank(); ++i)
    to.push(i == *axis ? call.scalar(1) : from[i < *axis ? i : i - 1]);
  call.give(0, to);
}

void top_k(Call& call) {
  Shape to = call.shape(0);
  const auto axis = to.axis(call.integer("axis", -1));
  if (!axis) return;
  to[*axis] = call.has(1) ? call.scalar(1) : Size(call.integer("k", 0));
  call.give(0, to);
  call.give(1, to);
}

void non_zero(Call& call) {
  const Shape from = call.shape(0);
  Shape to = Shape::of_rank(2);
  if (from.known()) to[0] = static_cast<std::int64_t>(from.rank());
  call.give(0, to);
}

}  // namespace thence::shapes
