// Rows of an embedding or a table of biases that the exporter looked up itself: their values are a part of a
// parameter, which the file no longer has. If the modules around the consumers have only one such parameter,
// it is that one.
#include <algorithm>
#include <unordered_set>

#include "weights/limits.h"
#include "weights/tracer.h"

namespace thence::weights {
namespace {

using capture::Recording;

// The parameters that some operation of a recording reads.
std::unordered_set<std::string_view> read_parameters(const capture::Capture& capture) {
  std::unordered_set<std::string_view> read;
  for (const std::optional<Recording>* const recording : {&capture.trace, &capture.fx}) {
    if (!*recording) continue;
    const Recording& recorded = **recording;
    for (std::uint32_t step = 0; step < recorded.steps.size(); ++step)
      for (const std::uint32_t value : recorded.inputs(step))
        if (const std::uint32_t parameter = recorded.values[value].parameter; parameter != onnx::none)
          read.insert(recorded.parameters[parameter]);
  }
  return read;
}

std::vector<std::int64_t> without_ones(std::vector<std::int64_t> dims) {
  std::erase(dims, 1);
  return dims;
}

// Whether the tensor may be some rows or columns of the parameter.
bool is_slice(const onnx::TensorView& tensor, const CapturedParameter& parameter) {
  const auto ours = without_ones(tensor.dims), theirs = without_ones(parameter.dims);
  if (ours.empty() || ours.size() != theirs.size()) return false;
  for (std::size_t i = 0; i < ours.size(); ++i)
    if (ours[i] > theirs[i]) return false;
  return true;
}

bool shares_dimension(const onnx::TensorView& tensor, const CapturedParameter& parameter) {
  return std::any_of(tensor.dims.begin(), tensor.dims.end(), [&](std::int64_t size) {
    return size > 1 && std::find(parameter.dims.begin(), parameter.dims.end(), size) != parameter.dims.end();
  });
}

class AbsentParameters {
 public:
  explicit AbsentParameters(Tracer& tracer)
      : tracer_(tracer), read_(read_parameters(*tracer.map().hierarchy().recorded())) {
    const capture::Capture& capture = *tracer.map().hierarchy().recorded();
    has_recording_ = capture.trace || capture.fx;
  }

  // The only one of a module and of its children that fits; empty if there is none, or several. A vector is a
  // part of a vector, if there is one: of a bias that is sliced, not of the weight beside it.
  std::string_view find(const onnx::TensorView& tensor, modules::ModuleId module) {
    std::vector<std::string_view> found;
    const modules::ModuleTree& tree = tracer_.map().own_tree();
    collect(tensor, tree[module], found);
    const auto& children = tree[module].children;
    for (std::size_t i = 0; i < children.size() && i < max_children; ++i)
      collect(tensor, tree[children[i]], found);
    if (tensor.dims.size() == 1 &&
        std::any_of(found.begin(), found.end(), [&](std::string_view path) { return is_vector(path); }))
      std::erase_if(found, [&](std::string_view path) { return !is_vector(path); });
    return found.size() == 1 ? found.front() : std::string_view();
  }

 private:
  bool is_vector(std::string_view path) const { return tracer_.captured().find(path)->dims.size() == 1; }

  // Without a recording, a parameter may have been read if its module ran.
  bool may_be_read(const modules::Module& module, std::string_view path) const {
    return has_recording_ ? read_.contains(path) : module.calls.value_or(1) > 0;
  }

  void collect(const onnx::TensorView& tensor, const modules::Module& module,
               std::vector<std::string_view>& found) {
    for (const std::string_view path : tracer_.captured().owned_by(module.path)) {
      const CapturedParameter& parameter = *tracer_.captured().find(path);
      if (!may_be_read(module, path) || tracer_.is_named(path) ||
          parameter.dtype.find("float") == std::string::npos)
        continue;
      const bool is_vector_part =
          tensor.dims.size() == 1 && parameter.dims.size() == 1 && is_slice(tensor, parameter);
      if (is_vector_part || (parameter.dims.size() > 1 && shares_dimension(tensor, parameter)))
        found.push_back(path);
    }
  }

  Tracer& tracer_;
  std::unordered_set<std::string_view> read_;
  bool has_recording_ = false;
};

}  // namespace

void trace_by_absence(Tracer& tracer) {
  if (tracer.captured().empty()) return;
  AbsentParameters absent(tracer);
  std::vector<std::pair<std::size_t, std::string>> found;  // all are compared with what is named before
  for (std::size_t i = 0; i < tracer.size(); ++i) {
    const onnx::TensorView& tensor = tracer.tensor(i);
    if (!tracer.is_open(i) || !onnx::is_float(tensor.data_type) || tensor.elements().value_or(0) < 2)
      continue;
    const modules::ModuleId module = tracer.consumer_module(i);
    if (module == modules::no_module) continue;
    if (const std::string_view path = absent.find(tensor, module); !path.empty()) found.emplace_back(i, path);
  }
  for (auto& [initializer, path] : found)
    tracer.set(initializer, {std::move(path)}, Transform::split, WeightSource::consumers);
}

}  // namespace thence::weights
