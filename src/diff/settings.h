// Settings: the parameters of a node. Attributes, and sizes, axes and indices that later versions of an
// operator read as constants instead. A default of the operator's latest version is omitted; a missing
// attribute with another default in the model's version is included.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diff/tensor.h"

namespace thence::diff {

struct Setting {
  std::string name, text;
  bool operator==(const Setting&) const = default;
};

/// The defaults of attributes (schema/defaults.json).
class Defaults {
 public:
  static const Defaults& shipped();
  std::optional<std::string> of(std::string_view op, std::string_view attribute, std::int64_t opset) const;
  /// The default of the latest version.
  std::optional<std::string> last(std::string_view op, std::string_view attribute) const {
    return of(op, attribute, std::numeric_limits<std::int64_t>::max());
  }
  /// Defaults that differ from those of the latest version.
  std::vector<Setting> outdated(std::string_view op, std::int64_t opset) const;

 private:
  struct Default {
    std::int64_t since;
    std::string text;
  };
  using Attributes = std::unordered_map<std::string, std::vector<Default>>;
  std::unordered_map<std::string, Attributes> operators_;
};

/// The name of an input as a setting; empty if it has none.
std::string_view setting_name(std::string_view op, std::size_t input);

/// Whether a constant input of a node is a setting rather than data.
bool is_setting(const onnx::Node& node, std::size_t input, const Tensor* constant);

/// Sorted by name. Bodies are not included: their nodes are compared themselves.
std::vector<Setting> settings_of(const onnx::Node& node, Constants& constants, std::int64_t opset);

/// The version of the default operator set that a model uses.
std::int64_t opset_of(const onnx::Model& model);

}  // namespace thence::diff
