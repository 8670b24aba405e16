// Tools that rewrite a model often derive the new name of a node or value from the old one. The patterns are
// data (schema/derived_names.json). DerivedNames recovers the old name.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace thence::hierarchy {

class DerivedNames {
 public:
  /// The patterns in schema/derived_names.json.
  static const DerivedNames& shipped();

  std::string_view original_node(std::string_view name) const {
    return original(name, node_suffixes_, &node_prefixes_);
  }
  std::string_view original_value(std::string_view name) const {
    return original(name, value_suffixes_, nullptr);
  }
  std::string_view original_parameter(std::string_view name) const {
    return original(name, parameter_suffixes_, nullptr);
  }

 private:
  struct Suffix {
    std::string text;  // without the "#"
    bool numbered = false;
  };
  /// Indexed by the last byte of the suffix, which rules out most suffixes for a name.
  using Suffixes = std::array<std::vector<Suffix>, 256>;
  static std::string_view original(std::string_view name, const Suffixes& suffixes,
                                   const std::vector<std::string>* prefixes);

  Suffixes node_suffixes_, value_suffixes_, parameter_suffixes_;
  std::vector<std::string> node_prefixes_;
};

}  // namespace thence::hierarchy
