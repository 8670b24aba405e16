#include "weights/captured_parameters.h"

#include <algorithm>

#include "weights/limits.h"

namespace thence::weights {

std::string_view owner_of(std::string_view parameter) {
  const std::size_t dot = parameter.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : parameter.substr(0, dot);
}

std::string_view last_name(std::string_view parameter) { return parameter.substr(parameter.rfind('.') + 1); }

bool is_lifted_constant(std::string_view path) {
  const std::string_view last = last_name(path);
  return last.starts_with("lifted_tensor_") || last.starts_with("_tensor_constant");
}

CapturedParameters::CapturedParameters(const capture::Capture* capture) : capture_(capture) {
  if (capture == nullptr) return;
  for (const CapturedParameter& parameter : capture->parameters) {
    const auto add = [&](std::string_view path) {
      if (by_path_.emplace(path, &parameter).second) by_module_[owner_of(path)].push_back(path);
    };
    add(parameter.path);
    for (const std::string& alias : parameter.aliases) add(alias);
  }
}

const CapturedParameter* CapturedParameters::find(std::string_view path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : found->second;
}

std::span<const CapturedParameter* const> CapturedParameters::with_content(const onnx::ContentHash& content) {
  if (!is_indexed_by_size_ && capture_ != nullptr) {
    for (const CapturedParameter& parameter : capture_->parameters) {
      if (parameter.unordered) by_content_[*parameter.unordered].push_back(&parameter);
      const std::uint64_t elements = parameter.unordered ? 0 : parameter.data_elements();
      if (elements > 0) unread_[elements].push_back(&parameter);
    }
  }
  is_indexed_by_size_ = true;
  if (const auto unread = unread_.find(content.elements); unread != unread_.end()) {
    for (const CapturedParameter* const parameter : unread->second)
      if (const auto hash = parameter->content_hash()) by_content_[*hash].push_back(parameter);
    unread_.erase(unread);
  }
  const auto found = by_content_.find(content.unordered);
  if (found == by_content_.end()) return {};
  return found->second;
}

std::span<const std::string_view> CapturedParameters::owned_by(std::string_view module) const {
  const auto found = by_module_.find(module);
  if (found == by_module_.end()) return {};
  return std::span(found->second).first(std::min(found->second.size(), max_owned_parameters));
}

std::string_view path_in(const CapturedParameter& parameter, std::string_view module) {
  if (owner_of(parameter.path) == module) return parameter.path;
  for (const std::string& alias : parameter.aliases)
    if (owner_of(alias) == module) return alias;
  return {};
}

Fit fit_of(const onnx::TensorView& tensor, const CapturedParameter& parameter) {
  if (!parameter.has_dims) return Fit::unknown;
  if (tensor.dims == parameter.dims) return Fit::same;
  const auto without_ones = [](std::vector<std::int64_t> dims) {
    std::erase(dims, 1);
    return dims;
  };
  std::vector<std::int64_t> ours = without_ones(tensor.dims), theirs = without_ones(parameter.dims);
  if (ours == theirs) return Fit::same;
  std::sort(ours.begin(), ours.end());
  std::sort(theirs.begin(), theirs.end());
  return ours == theirs ? Fit::reordered : Fit::no;
}

bool is_cast(const onnx::TensorView& tensor, const CapturedParameter& parameter) {
  return !parameter.dtype.empty() && onnx::is_float(tensor.data_type) &&
         parameter.dtype.find("float") != std::string::npos &&
         parameter.dtype != onnx::data_type_name(tensor.data_type);
}

}  // namespace thence::weights
