// Declared: the declared types and shapes of the values of a model's main graph.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "onnx/model.h"

namespace thence::diff {

class DeclaredTypes {
 public:
  explicit DeclaredTypes(const onnx::Model& model);
  /// Null if the value is not declared.
  const onnx::ValueInfoView* of(std::string_view value);

 private:
  std::unordered_map<std::string_view, std::string_view> messages_;
  onnx::ValueInfoView last_;
};

/// "float32 1x8x?"
std::string text_of(const onnx::ValueInfoView& info);
/// Whether two declared shapes contradict each other. An open dimension may be anything.
bool shapes_contradict(const onnx::ValueInfoView& a, const onnx::ValueInfoView& b);

}  // namespace thence::diff
