// Operators that move a window over an image or a signal: convolutions and pooling. Also changes of
// resolution.
#include <numeric>

#include "shapes/shape_rules.h"

namespace thence::shapes {
namespace {

struct Window {
  std::vector<Size> kernel;
  std::vector<std::int64_t> strides, dilations, pads;
  std::string_view auto_pad;
};

// One number per axis; `otherwise` if the attribute is absent. Empty if the length is wrong.
std::optional<std::vector<std::int64_t>> attribute_per_axis(InferenceContext& context, std::string_view name,
                                                            std::size_t count, std::int64_t otherwise) {
  if (!context.attribute(name)) return std::vector<std::int64_t>(count, otherwise);
  auto numbers = context.integers(name);
  if (!numbers || numbers->size() != count) return std::nullopt;
  return numbers;
}

std::optional<Window> window_of(InferenceContext& context, std::size_t axes) {
  const auto strides = attribute_per_axis(context, "strides", axes, 1),
             dilations = attribute_per_axis(context, "dilations", axes, 1);
  const auto pads = attribute_per_axis(context, "pads", 2 * axes, 0);
  if (!strides || !dilations || !pads) return std::nullopt;
  for (const std::int64_t stride : *strides)
    if (stride <= 0) return std::nullopt;
  return Window{{}, *strides, *dilations, *pads, context.text("auto_pad")};
}

Size window_count(Sizes& sizes, Size in, const Window& window, std::size_t axis, bool round_up) {
  const Size stride = window.strides[axis];
  if (window.auto_pad.starts_with("SAME"))
    return sizes.floor_divide(sizes.add(in, window.strides[axis] - 1), stride);
  const std::size_t axes = window.strides.size();
  if (window.auto_pad != "VALID") in = sizes.add(in, sizes.add(window.pads[axis], window.pads[axes + axis]));
  const Size reach = sizes.multiply(window.dilations[axis], sizes.subtract(window.kernel[axis], 1));
  const Size free_size = sizes.subtract(in, sizes.add(reach, 1));
  if (free_size.is_number() && free_size.value < 0) return {};
  if (!round_up) return sizes.add(sizes.floor_divide(free_size, stride), 1);
  Size count = sizes.add(sizes.floor_divide(sizes.add(free_size, window.strides[axis] - 1), stride), 1);
  // Omit a window that would begin in the padding after the end.
  const Size begin = sizes.multiply(sizes.subtract(count, 1), stride);
  const Size end = sizes.subtract(in, window.pads[axes + axis]);
  if (begin.is_number() && end.is_number() && begin.value >= end.value) count = sizes.subtract(count, 1);
  return count;
}

void convolve(InferenceContext& context, std::size_t weight) {
  const Shape from = context.shape(0), kernel = context.shape(weight);
  if (!kernel.known() || kernel.rank() < 3) {
    context.work.macs = {};
    return;
  }
  const std::size_t axes = kernel.rank() - 2;
  Sizes& sizes = context.sizes;
  Shape to = Shape::of_rank(kernel.rank());
  std::optional<Window> window = window_of(context, axes);
  if (from.known() && from.rank() == kernel.rank() && window) {
    to[0] = from[0];
    for (std::size_t i = 0; i < axes; ++i) {
      window->kernel.push_back(kernel[2 + i]);
      to[2 + i] = window_count(sizes, from[2 + i], *window, i, false);
    }
  }
  to[1] = kernel[0];
  context.set_shape(0, to);
  Size each = kernel[1];
  for (std::size_t i = 0; i < axes; ++i) each = sizes.multiply(each, kernel[2 + i]);
  context.work.macs = sizes.multiply(each, context.output_elements());
}

}  // namespace

void convolution(InferenceContext& context) { convolve(context, 1); }
void quantised_convolution(InferenceContext& context) { convolve(context, 3); }

void transposed_convolution(InferenceContext& context) {
  const Shape from = context.shape(0), kernel = context.shape(1);
  context.work.macs = {};
  if (!kernel.known() || kernel.rank() < 3) return;
  const std::size_t axes = kernel.rank() - 2;
  Sizes& sizes = context.sizes;
  Shape to = Shape::of_rank(kernel.rank());
  const std::optional<Window> window = window_of(context, axes);
  const auto extra = attribute_per_axis(context, "output_padding", axes, 0);
  const auto requested = context.integers("output_shape");
  to[1] = sizes.multiply(kernel[1], context.integer("group", 1));
  if (from.known() && from.rank() == kernel.rank() && window && extra) {
    to[0] = from[0];
    for (std::size_t i = 0; i < axes; ++i) {
      const Size stride = window->strides[i];
      if (requested && requested->size() >= axes) {
        to[2 + i] = (*requested)[requested->size() - axes + i];
      } else if (window->auto_pad.starts_with("SAME")) {
        to[2 + i] = sizes.multiply(from[2 + i], stride);
      } else {
        const Size reach = sizes.multiply(window->dilations[i], sizes.subtract(kernel[2 + i], 1));
        const Size pads =
            window->auto_pad == "VALID" ? Size(0) : sizes.add(window->pads[i], window->pads[axes + i]);
        const Size full =
            sizes.add(sizes.multiply(sizes.subtract(from[2 + i], 1), stride), sizes.add(reach, 1));
        to[2 + i] = sizes.add(sizes.subtract(full, pads), (*extra)[i]);
      }
    }
  }
  context.set_shape(0, to);
  Size each = kernel[1];
  for (std::size_t i = 0; i < axes; ++i) each = sizes.multiply(each, kernel[2 + i]);
  context.work.macs = sizes.multiply(each, context.elements(from));
}

void pool(InferenceContext& context) {
  Shape to = context.shape(0);
  const auto kernel = context.integers("kernel_shape");
  if (!to.known() || !kernel || to.rank() != kernel->size() + 2) return;
  std::optional<Window> window = window_of(context, kernel->size());
  if (!window) return context.set_shape(0, Shape::of_rank(to.rank()));
  window->kernel.assign(kernel->begin(), kernel->end());
  const bool round_up = context.integer("ceil_mode", 0) != 0;
  for (std::size_t i = 0; i < kernel->size(); ++i)
    to[2 + i] = window_count(context.sizes, to[2 + i], *window, i, round_up);
  context.set_shape(0, to);
  context.set_shape(1, to);
}

void global_pool(InferenceContext& context) {
  Shape to = context.shape(0);
  for (std::size_t i = 2; i < to.rank(); ++i) to[i] = 1;
  context.set_shape(0, to);
}

namespace {

// The axes that Resize and Upsample change: as given, else all. Empty if they are unknown.
std::optional<std::vector<std::int64_t>> resized_axes(InferenceContext& context, std::size_t rank) {
  if (context.attribute("axes")) return context.integers("axes");
  std::vector<std::int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

bool keeps_aspect_ratio(InferenceContext& context) {
  const std::string_view policy = context.text("keep_aspect_ratio_policy");
  return !policy.empty() && policy != "stretch";
}

}  // namespace

void resize(InferenceContext& context) {
  Shape to = context.shape(0);
  if (!to.known()) return;
  const bool is_old = context.op() == "Upsample" || context.opset() < 11;  // scales are the second input
  const Content requested = is_old ? std::nullopt : context.content(3),
                scales = context.content(is_old ? 1 : 2);
  const auto axes = resized_axes(context, to.rank());
  const Content& given = requested && !requested->empty() ? requested : scales;
  if (!axes || !given || given->size() != axes->size() || keeps_aspect_ratio(context))
    return context.set_shape(0, Shape::of_rank(to.rank()));
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto axis = to.axis((*axes)[i]);
    if (!axis) return;
    to[*axis] = &given == &requested ? (*given)[i] : context.sizes.multiply(to[*axis], (*given)[i]);
  }
  context.set_shape(0, to);
}

}  // namespace thence::shapes
