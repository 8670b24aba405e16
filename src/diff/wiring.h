// Wiring: whether nodes that do the same work do it of the same values.
#pragma once

#include <string>
#include <vector>

#include "diff/groups.h"

namespace thence::diff {

class Wiring {
 public:
  Wiring(Side& a, Side& b, const Matching& matching, const Grouping& grouping)
      : a_(a), b_(b), matching_(matching), grouping_(grouping) {}

  /// What a node of B reads, or gives out of its bodies, other than its partner in A: one text each.
  std::vector<std::string> rewired(onnx::NodeId a, onnx::NodeId b) const;
  /// Whether two values are not the same, and nodes that were added or removed do not explain it.
  bool differ(onnx::ValueId a, onnx::ValueId b) const;
  /// Whether both are constants, and not the same ones.
  bool hold_other_numbers(onnx::ValueId a, onnx::ValueId b) const;

 private:
  // What makes a value, as far as it can be told apart.
  struct Source {
    enum class Kind : std::uint8_t { nothing, given, constant, node } kind = Kind::nothing;
    std::uint32_t group = no_group;
    std::size_t output = 0;
  };
  static Source source_of(Side& side, onnx::ValueId value, const std::vector<std::uint32_t>& groups);
  bool is_one_sided(const Source& source) const;
  bool is_setting(Side& side, onnx::NodeId node, std::size_t input) const;
  std::string text(Side& side, onnx::ValueId value) const;
  void compare_bodies(onnx::NodeId a, onnx::NodeId b, std::vector<std::string>& found) const;

  Side &a_, &b_;
  const Matching& matching_;
  const Grouping& grouping_;
};

}  // namespace thence::diff
