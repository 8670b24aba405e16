// By what a tagged model records: the parameters that were found with more evidence, such as a capture. An
// initializer with another shape than then is another one.
#include <algorithm>

#include "weights/tracer.h"

namespace thence::weights {

void trace_by_tags(Tracer& tracer) {
  const hierarchy::ModelRecord* const record = tracer.map().hierarchy().record();
  if (record == nullptr) return;
  for (std::size_t i = 0; i < tracer.size(); ++i) {
    const auto found = record->initializers.find(std::string(tracer.name(i)));
    if (found == record->initializers.end() || tracer.is_quantisation(i)) continue;
    const hierarchy::RecordedInitializer& read = found->second;
    const Transform transform = transform_named(read.transform);
    if (transform == Transform::none || read.parameters.empty() ||
        !std::equal(read.dims.begin(), read.dims.end(), tracer.tensor(i).dims.begin(),
                    tracer.tensor(i).dims.end()))
      continue;
    if (tracer[i].is_known()) tracer.clear(i);
    tracer.set(i, read.parameters, transform, WeightSource::tags);
  }
}

}  // namespace thence::weights
