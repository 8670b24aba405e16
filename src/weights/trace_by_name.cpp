// Initializers that have the path of a parameter as their name.
#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "weights/tracer.h"

namespace thence::weights {
namespace {

// Exporters number the values that they create: "val_45", "lifted_tensor_0", "_tensor_constant1". A name in
// which no digit ends a part is one that a person wrote.
bool is_numbered(std::string_view name) { return name.back() >= '0' && name.back() <= '9'; }

// Names that have numbered forms, too: an optimiser writes "reorder", and then "reorder_token_0".
class NumberedStems {
 public:
  explicit NumberedStems(const Tracer& tracer) {
    for (std::size_t i = 0; i < tracer.size(); ++i) {
      std::string_view name = tracer.name(i);
      if (name.empty() || !is_numbered(name) || name.find('.') != std::string_view::npos) continue;
      for (std::size_t end = name.rfind('_'); end != std::string_view::npos && end > 0;
           end = name.rfind('_')) {
        name = name.substr(0, end);
        if (!stems_.insert(name).second) break;
      }
    }
  }
  bool has(std::string_view name) const { return stems_.contains(name); }

 private:
  std::unordered_set<std::string_view> stems_;
};

// The path of the parameter in the name of an initializer; empty if it has none.
std::string_view path_of(Tracer& tracer, const NumberedStems& stems, std::size_t initializer) {
  const std::string_view path = hierarchy::parameter_path(tracer.name(initializer));
  if (path.empty() || is_lifted_constant(path)) return {};
  if (!tracer.captured().empty()) return tracer.captured().find(path) != nullptr ? path : std::string_view();
  // Only the tree decides whether a path is a module's.
  if (path.find('.') != std::string_view::npos)
    return tracer.map().hierarchy().parameters()[initializer].parameter;
  // A parameter of the root has no dot, like most values that an exporter creates.
  const bool is_created = is_numbered(path) || stems.has(path) || !tracer.folded_from(initializer).empty();
  return is_created || !onnx::is_float(tracer.tensor(initializer).data_type) ? std::string_view() : path;
}

// If a norm is folded into a convolution, an exporter keeps the name of the weight and derives that of a new
// bias from it: "conv.weight" and "conv.weight_bias". Neither holds the parameter of that name.
class FoldedNames {
 public:
  explicit FoldedNames(const Tracer& tracer) {
    for (std::size_t i = 0; i < tracer.size(); ++i)
      if (const std::string_view name = tracer.name(i); name.ends_with(created_bias_suffix)) {
        names_.insert(name);
        names_.insert(name.substr(0, name.size() - bias_suffix.size()));
      }
  }
  bool has(std::string_view name) const { return names_.contains(name); }

 private:
  static constexpr std::string_view created_bias_suffix = ".weight_bias", bias_suffix = "_bias";
  std::unordered_set<std::string_view> names_;
};

Transform transform_of(Tracer& tracer, std::size_t initializer, std::string_view path) {
  const onnx::TensorView& tensor = tracer.tensor(initializer);
  const auto consumers = tracer.consumers().of(initializer);
  const bool is_packed = std::any_of(consumers.begin(), consumers.end(), [&](const Consumer& each) {
    return is_packed_input(tracer.model().node(each.node).op_type(), each.input);
  });
  if (is_packed) return Transform::packed;
  const bool has_suffix = path.size() < tracer.name(initializer).size();
  if (has_suffix && !onnx::is_float(tensor.data_type)) return Transform::quantised;
  const CapturedParameter* const parameter = tracer.captured().find(path);
  if (parameter == nullptr) return Transform::identity;
  const Fit fit = fit_of(tensor, *parameter);
  return fit == Fit::no ? Transform::folded : transform_by_shape(tensor, *parameter, fit);
}

}  // namespace

void trace_by_name(Tracer& tracer, const std::function<bool(std::size_t)>& may_hold_parameter) {
  const FoldedNames folded(tracer);
  const NumberedStems stems(tracer);
  for (std::size_t i = 0; i < tracer.size(); ++i) {
    if (!tracer.is_open(i) || folded.has(tracer.name(i)) || (may_hold_parameter && !may_hold_parameter(i)))
      continue;
    if (const std::string_view path = path_of(tracer, stems, i); !path.empty())
      tracer.set(i, {std::string(path)}, transform_of(tracer, i, path), WeightSource::name);
  }
}

}  // namespace thence::weights
