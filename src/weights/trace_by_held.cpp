// What initializers hold, by samples of their elements: whole parameters, joined ones and parts, cast or packed.
#include <algorithm>

#include "reference/held_parameters.h"

#include "weights/tracer.h"

namespace thence::weights {
namespace {

Transform transform_of(const reference::Held& held, const onnx::TensorView& tensor,
                       const CapturedParameter& first, bool is_packed) {
  if (is_packed) return Transform::packed;
  if (!onnx::is_float(tensor.data_type)) return Transform::quantised;
  if (held.parameters.size() > 1) return Transform::concatenated;
  if (held.is_part) return Transform::split;
  if (is_cast(tensor, first)) return Transform::cast;
  return held.is_transposed ? Transform::transposed : Transform::identity;
}

void set_held(Tracer& tracer, const capture::Capture& recorded, const reference::HeldParameters& held) {
  for (std::size_t i = 0; i < tracer.size(); ++i) {
    const reference::Held& each = held.by_initializer[i];
    if (!tracer.is_open(i) || !each.is_known()) continue;
    std::vector<std::string> parameters;
    for (const std::uint32_t parameter : each.parameters)
      parameters.push_back(recorded.parameters[parameter].path);
    const bool is_packed = std::ranges::any_of(tracer.consumers().of(i), [&](const Consumer& consumer) {
      return is_packed_input(tracer.model().node(consumer.node).op_type(), consumer.input);
    });
    const Transform transform =
        transform_of(each, tracer.tensor(i), recorded.parameters[each.parameters.front()], is_packed);
    tracer.set(i, std::move(parameters), transform, WeightSource::content);
  }
}

// Whether samples can show what it holds: a matrix whose parameter nothing names.
bool is_unnamed_matrix(const Tracer& tracer, std::size_t initializer) {
  const std::vector<std::int64_t>& dims = tracer.tensor(initializer).dims;
  return tracer.is_open(initializer) &&
         std::ranges::count_if(dims, [](std::int64_t size) { return size > 1; }) > 1;
}

}  // namespace

void trace_by_held(Tracer& tracer) {
  const capture::Capture* const recorded = tracer.map().hierarchy().recorded();
  const reference::HeldParameters& held = tracer.map().hierarchy().weight_owners().held();
  if (recorded != nullptr && held.found > 0) set_held(tracer, *recorded, held);
}

void trace_joined(Tracer& tracer) {
  const capture::Capture* const recorded = tracer.map().hierarchy().recorded();
  if (recorded == nullptr || tracer.map().hierarchy().weight_owners().has_any()) return;
  for (std::size_t i = 0; i < tracer.size(); ++i)
    if (is_unnamed_matrix(tracer, i))
      return set_held(tracer, *recorded,
                      reference::find_held_parameters(tracer.model(), recorded->parameters));
}

}  // namespace thence::weights
