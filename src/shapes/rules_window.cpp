// Operators that move a window over an image or a signal: convolutions and pooling. Also changes of
// resolution.
#include <numeric>

#include "shapes/rules.h"

namespace thence::shapes {
namespace {

struct Window {
  std::vector<Size> kernel;
  std::vector<std::int64_t> strides, dilations, pads;
  std::string_view automatic;
};

// One number per axis; `otherwise` if the attribute is absent. Empty if the length is wrong.
std::optional<std::vector<std::int64_t>> for_axes(Call& call, std::string_view name, std::size_t count,
                                                  std::int64_t otherwise) {
  if (!call.attribute(name)) return std::vector<std::int64_t>(count, otherwise);
  auto numbers = call.integers(name);
  if (!numbers || numbers->size() != count) return std::nullopt;
  return numbers;
}

std::optional<Window> window_of(Call& call, std::size_t axes) {
  const auto strides = for_axes(call, "strides", axes, 1), dilations = for_axes(call, "dilations", axes, 1);
  const auto pads = for_axes(call, "pads", 2 * axes, 0);
  if (!strides || !dilations || !pads) return std::nullopt;
  for (const std::int64_t stride : *strides)
    if (stride <= 0) return std::nullopt;
  return Window{{}, *strides, *dilations, *pads, call.text("auto_pad")};
}

Size windows(Sizes& sizes, Size in, const Window& window, std::size_t axis, bool round_up) {
  const Size stride = window.strides[axis];
  if (window.automatic.starts_with("SAME"))
    return sizes.floor_divide(sizes.add(in, window.strides[axis] - 1), stride);
  const std::size_t axes = window.strides.size();
  if (window.automatic != "VALID") in = sizes.add(in, sizes.add(window.pads[axis], window.pads[axes + axis]));
  const Size reach = sizes.multiply(window.dilations[axis], sizes.subtract(window.kernel[axis], 1));
  const Size room = sizes.subtract(in, sizes.add(reach, 1));
  if (room.is_number() && room.value < 0) return {};
  if (!round_up) return sizes.add(sizes.floor_divide(room, stride), 1);
  Size count = sizes.add(sizes.floor_divide(sizes.add(room, window.strides[axis] - 1), stride), 1);
  // Omit a window that would begin in the padding after the end.
  const Size begin = sizes.multiply(sizes.subtract(count, 1), stride);
  const Size end = sizes.subtract(in, window.pads[axes + axis]);
  if (begin.is_number() && end.is_number() && begin.value >= end.value) count = sizes.subtract(count, 1);
  return count;
}

void convolve(Call& call, std::size_t weight) {
  const Shape from = call.shape(0), kernel = call.shape(weight);
  if (!kernel.known() || kernel.rank() < 3) {
    call.work.macs = {};
    return;
  }
  const std::size_t axes = kernel.rank() - 2;
  Sizes& sizes = call.sizes;
  Shape to = Shape::of_rank(kernel.rank());
  std::optional<Window> window = window_of(call, axes);
  if (from.known() && from.rank() == kernel.rank() && window) {
    to[0] = from[0];
    for (std::size_t i = 0; i < axes; ++i) {
      window->kernel.push_back(kernel[2 + i]);
      to[2 + i] = windows(sizes, from[2 + i], *window, i, false);
    }
  }
  to[1] = kernel[0];
  call.give(0, to);
  Size each = kernel[1];
  for (std::size_t i = 0; i < axes; ++i) each = sizes.multiply(each, kernel[2 + i]);
  call.work.macs = sizes.multiply(each, call.output_elements());
}

}  // namespace

void convolution(Call& call) { convolve(call, 1); }
void quantised_convolution(Call& call) { convolve(call, 3); }

void transposed_convolution(Call& call) {
  const Shape from = call.shape(0), kernel = call.shape(1);
  call.work.macs = {};
  if (!kernel.known() || kernel.rank() < 3) return;
  const std::size_t axes = kernel.rank() - 2;
  Sizes& sizes = call.sizes;
  Shape to = Shape::of_rank(kernel.rank());
  const std::optional<Window> window = window_of(call, axes);
  const auto extra = for_axes(call, "output_padding", axes, 0);
  const auto wanted = call.integers("output_shape");
  to[1] = sizes.multiply(kernel[1], call.integer("group", 1));
  if (from.known() && from.rank() == kernel.rank() && window && extra) {
    to[0] = from[0];
    for (std::size_t i = 0; i < axes; ++i) {
      const Size stride = window->strides[i];
      if (wanted && wanted->size() >= axes) {
        to[2 + i] = (*wanted)[wanted->size() - axes + i];
      } else if (window->automatic.starts_with("SAME")) {
        to[2 + i] = sizes.multiply(from[2 + i], stride);
      } else {
        const Size reach = sizes.multiply(window->dilations[i], sizes.subtract(kernel[2 + i], 1));
        const Size pads =
            window->automatic == "VALID" ? Size(0) : sizes.add(window->pads[i], window->pads[axes + i]);
        const Size full =
            sizes.add(sizes.multiply(sizes.subtract(from[2 + i], 1), stride), sizes.add(reach, 1));
        to[2 + i] = sizes.add(sizes.subtract(full, pads), (*extra)[i]);
      }
    }
  }
  call.give(0, to);
  Size each = kernel[1];
  for (std::size_t i = 0; i < axes; ++i) each = sizes.multiply(each, kernel[2 + i]);
  call.work.macs = sizes.multiply(each, call.elements(from));
}

void pool(Call& call) {
  Shape to = call.shape(0);
  const auto kernel = call.integers("kernel_shape");
  if (!to.known() || !kernel || to.rank() != kernel->size() + 2) return;
  std::optional<Window> window = window_of(call, kernel->size());
  if (!window) return call.give(0, Shape::of_rank(to.rank()));
  window->kernel.assign(kernel->begin(), kernel->end());
  const bool round_up = call.integer("ceil_mode", 0) != 0;
  for (std::size_t i = 0; i < kernel->size(); ++i)
    to[2 + i] = windows(call.sizes, to[2 + i], *window, i, round_up);
  call.give(0, to);
  call.give(1, to);
}

void global_pool(Call& call) {
  Shape to = call.shape(0);
  for (std::size_t i = 2; i < to.rank(); ++i) to[i] = 1;
  call.give(0, to);
}

namespace {

// The axes that Resize and Upsample change: as given, else all. Empty if they are unknown.
std::optional<std::vector<std::int64_t>> resized_axes(Call& call, std::size_t rank) {
  if (call.attribute("axes")) return call.integers("axes");
  std::vector<std::int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

bool keeps_aspect_ratio(Call& call) {
  const std::string_view policy = call.text("keep_aspect_ratio_policy");
  return !policy.empty() && policy != "stretch";
}

}  // namespace

void resize(Call& call) {
  Shape to = call.shape(0);
  if (!to.known()) return;
  const bool old = call.op() == "Upsample" || call.opset() < 11;  // scales are the second input
  const Content wanted = old ? std::nullopt : call.content(3), scales = call.content(old ? 1 : 2);
  const auto axes = resized_axes(call, to.rank());
  const Content& told = wanted && !wanted->empty() ? wanted : scales;
  if (!axes || !told || told->size() != axes->size() || keeps_aspect_ratio(call))
    return call.give(0, Shape::of_rank(to.rank()));
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto axis = to.axis((*axes)[i]);
    if (!axis) return;
    to[*axis] = &told == &wanted ? (*told)[i] : call.sizes.multiply(to[*axis], (*told)[i]);
  }
  call.give(0, to);
}

}  // namespace thence::shapes
