// Imports: the versions of operators that a model and its functions use. A function can be expanded only
// where the model uses the same versions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "onnx/model.h"

namespace thence::functions {

class Imports {
 public:
  /// Chooses the functions that can be expanded among those that `is_chosen` selects.
  Imports(const onnx::Model& model, const std::function<bool(const onnx::Graph&)>& is_chosen);

  bool is_expandable(const onnx::Graph& function) const {
    return expandable_.contains(function.bytes.front().data());
  }
  std::size_t expandable_count() const { return expandable_.size(); }
  /// The selected functions that cannot be expanded.
  const std::vector<std::string>& conflicts() const { return conflicts_; }
  /// What the expanded functions import and the model does not.
  const std::map<std::string_view, std::int64_t>& missing() const { return missing_; }

 private:
  bool add(const onnx::Graph& function);

  std::map<std::string_view, std::int64_t> imported_, missing_;
  std::unordered_set<std::string_view> function_domains_;
  std::unordered_set<const char*> expandable_;  // by the start of their bytes
  std::vector<std::string> conflicts_;
};

/// Both names denote the standard operators of ONNX.
inline std::string_view plain_domain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

}  // namespace thence::functions
