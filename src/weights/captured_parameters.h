// CapturedParameters: the parameters of the live model, by name, by content and by module.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/capture.h"
#include "onnx/content_hash.h"
#include "onnx/views.h"

namespace thence::weights {

using capture::CapturedParameter;

class CapturedParameters {
 public:
  /// `capture` may be null: there are no parameters then.
  explicit CapturedParameters(const capture::Capture* capture);

  bool empty() const { return by_path_.empty(); }
  /// The parameter with this path or alias; null if there is none.
  const CapturedParameter* find(std::string_view path) const;
  /// The parameters whose elements are the same, in any order. Reads the data of parameters of this size on
  /// first use, because a checkpoint may be larger than the memory.
  std::span<const CapturedParameter* const> with_content(const onnx::ContentHash& content);
  /// The paths of the parameters that a module owns itself; not all if there are very many.
  std::span<const std::string_view> owned_by(std::string_view module) const;

 private:
  const capture::Capture* capture_;
  bool is_indexed_by_size_ = false;
  std::unordered_map<std::string_view, const CapturedParameter*> by_path_;
  std::unordered_map<std::uint64_t, std::vector<const CapturedParameter*>> by_content_;
  std::unordered_map<std::uint64_t, std::vector<const CapturedParameter*>> unread_;  // by number of elements
  std::unordered_map<std::string_view, std::vector<std::string_view>> by_module_;
};

/// The module part of a parameter's path, and its last part.
std::string_view owner_of(std::string_view parameter);
std::string_view last_name(std::string_view parameter);

/// Whether a path names a tensor in the code of the model, which torch.export lifts: it is no parameter.
bool is_lifted_constant(std::string_view path);

/// The path or alias of a parameter that `module` owns; empty if it owns neither.
std::string_view path_in(const CapturedParameter& parameter, std::string_view module);

/// How a tensor that holds all elements of a parameter differs from it, by type and shape alone; none if it
/// cannot hold them. Unknown shapes fit.
enum class Fit { no, same, reordered, unknown };
Fit fit_of(const onnx::TensorView& tensor, const CapturedParameter& parameter);
/// Whether the parameter has another floating-point type.
bool is_cast(const onnx::TensorView& tensor, const CapturedParameter& parameter);

}  // namespace thence::weights
