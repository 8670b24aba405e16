// Initializers whose elements are those of a captured parameter, in any order.
#include <algorithm>

#include "weights/limits.h"
#include "weights/tracer.h"

namespace thence::weights {
namespace {

// Of equal parameters and of the paths of a tied one, that of the module whose nodes read the initializer;
// else the first one, if it is the only parameter.
std::string_view choose_path(const Tracer& tracer, std::size_t initializer,
                             std::span<const CapturedParameter* const> equal) {
  const modules::ModuleId module = tracer.consumer_module(initializer);
  if (module != modules::no_module) {
    const std::string_view path = tracer.map().own_tree()[module].path;
    std::vector<std::string_view> owned;
    for (const CapturedParameter* const each : equal)
      if (const std::string_view in = path_in(*each, path); !in.empty()) owned.push_back(in);
    if (owned.size() == 1) return owned.front();
  }
  return equal.size() == 1 ? std::string_view(equal.front()->path) : std::string_view();
}

}  // namespace

void trace_by_content(Tracer& tracer) {
  if (tracer.captured().empty()) return;
  for (std::size_t i = 0; i < tracer.size(); ++i) {
    // A single number is equal by chance; indices and sizes are, too.
    if (!tracer.is_open(i) || !onnx::is_float(tracer.tensor(i).data_type) ||
        tracer.tensor(i).elements().value_or(0) < 2)
      continue;
    const auto content = tracer.content(i);
    if (!content) continue;
    const auto equal = tracer.captured().with_content(content->unordered);
    if (equal.empty() || equal.size() > max_equal_parameters) continue;
    const std::string_view path = choose_path(tracer, i, equal);
    if (path.empty()) continue;
    const CapturedParameter& parameter = *tracer.captured().find(path);
    // Without a hash of the order, the shape decides.
    const bool is_same_order = parameter.exact ? *parameter.exact == content->exact
                                               : fit_of(tracer.tensor(i), parameter) == Fit::same;
    tracer.set(i, {std::string(path)}, is_same_order ? Transform::identity : Transform::transposed,
               WeightSource::content);
  }
}

}  // namespace thence::weights
