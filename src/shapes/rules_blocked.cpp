// Operators that move data into and out of a layout in blocks of channels, and those with other attributes
// there. The size of a block depends on the machine, so the number of padded channels is unknown; a
// convolution has it in its weight.
#include "shapes/shape_rules.h"

namespace thence::shapes {

void reorder_input(InferenceContext& context) {
  const Shape from = context.shape(0);
  if (!from.known() || from.rank() != 4) return;
  if (context.integer("channels_last", 0) != 0)
    context.set_shape(0, {from[0], Size(), from[1], from[2]});
  else
    context.set_shape(0, {from[0], Size(), from[2], from[3]});
}

void reorder_output(InferenceContext& context) {
  const Shape from = context.shape(0);
  if (!from.known() || from.rank() != 4) return;
  const std::int64_t channels = context.integer("channels", 0);
  const Size kept = channels > 0 ? Size(channels) : Size();
  if (context.integer("channels_last", 0) != 0)
    context.set_shape(0, {from[0], from[2], from[3], kept});
  else
    context.set_shape(0, {from[0], kept, from[2], from[3]});
}

void blocked_upsample(InferenceContext& context) {
  Shape to = context.shape(0);
  const auto scales = context.integers("scales");
  if (!to.known() || !scales || scales->size() != to.rank()) return;
  for (std::size_t i = 0; i < to.rank(); ++i)
    to[i] = (*scales)[i] > 0 ? context.sizes.multiply(to[i], (*scales)[i]) : Size();
  context.set_shape(0, to);
}

}  // namespace thence::shapes
