// Settings: what a node is told besides the values it works on. Attributes, and sizes, axes and indices that
// later versions of an operator read as constants instead. What is the default of the operator's last version
// is none; what is left out, and was another in the version at hand, is one.
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

/// What attributes are when a node does not have them (schema/defaults.json).
class Defaults {
 public:
  static const Defaults& shipped();
  std::optional<std::string> of(std::string_view op, std::string_view attribute, std::int64_t opset) const;
  /// Of the last version.
  std::optional<std::string> last(std::string_view op, std::string_view attribute) const {
    return of(op, attribute, std::numeric_limits<std::int64_t>::max());
  }
  /// Defaults that are others in the last version.
  std::vector<Setting> outdated(std::string_view op, std::int64_t opset) const;

 private:
  struct Default {
    std::int64_t since;
    std::string text;
  };
  using Attributes = std::unordered_map<std::string, std::vector<Default>>;
  std::unordered_map<std::string, Attributes> operators_;
};

/// What an input is called as a setting; empty where it has no name of its own.
std::string_view setting_name(std::string_view op, std::size_t input);

/// Whether a node reads a constant in this place as a setting rather than as a value to work on.
bool is_setting(const onnx::Node& node, std::size_t input, const Tensor* constant);

/// Sorted by name. Bodies are no settings: their nodes are compared themselves.
std::vector<Setting> settings_of(const onnx::Node& node, Constants& constants, std::int64_t opset);

/// The version of ONNX's own operators that a model uses.
std::int64_t opset_of(const onnx::Model& model);

}  // namespace thence::diff
