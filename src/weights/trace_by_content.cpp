// Initializers whose elements are those of a captured parameter, in any order.
#include <algorithm>
#include <unordered_map>

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

// A single number is equal to others by chance. It is a parameter if the module that reads it owns one with
// this number, which nothing else in the file holds.
void trace_single_numbers(Tracer& tracer) {
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_path;
  for (std::size_t i = 0; i < tracer.size(); ++i) {
    if (!tracer.is_open(i) || !onnx::is_float(tracer.tensor(i).data_type) ||
        tracer.tensor(i).elements().value_or(0) != 1)
      continue;
    const modules::ModuleId module = tracer.consumer_module(i);
    const auto content = module == modules::no_module ? std::nullopt : tracer.content(i);
    if (!content) continue;
    std::vector<std::string_view> owned;
    const auto equal = tracer.captured().with_content(*content);
    for (const CapturedParameter* const each : equal.first(std::min(equal.size(), max_equal_parameters)))
      if (const std::string_view in = path_in(*each, tracer.map().own_tree()[module].path);
          !in.empty() && each->dims.size() <= 1 && !tracer.is_named(in))
        owned.push_back(in);
    if (owned.size() == 1) by_path[owned.front()].push_back(i);
  }
  for (const auto& [path, initializers] : by_path)
    if (initializers.size() == 1)
      tracer.set(initializers.front(), {std::string(path)}, Transform::identity, WeightSource::content);
}

}  // namespace

void trace_by_content(Tracer& tracer) {
  if (tracer.captured().empty()) return;
  trace_single_numbers(tracer);
  for (std::size_t i = 0; i < tracer.size(); ++i) {
    // Indices and sizes are equal by chance.
    if (!tracer.is_open(i) || !onnx::is_float(tracer.tensor(i).data_type) ||
        tracer.tensor(i).elements().value_or(0) < 2)
      continue;
    const auto content = tracer.content(i);
    if (!content) continue;
    const auto equal = tracer.captured().with_content(*content);
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
