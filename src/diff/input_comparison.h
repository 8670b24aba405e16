// InputComparison: whether the nodes of a group read the same values.
#pragma once

#include <string>
#include <vector>

#include "diff/groups.h"

namespace thence::diff {

class InputComparison {
 public:
  InputComparison(Side& a, Side& b, const Matching& matching, const Grouping& grouping)
      : a_(a), b_(b), matching_(matching), grouping_(grouping) {}

  /// One text for each input, or output of a body, that differs between a node of B and its partner in A.
  std::vector<std::string> rewired_inputs(onnx::NodeId a, onnx::NodeId b) const;
  /// Whether two values differ, and no added or removed node explains it.
  bool are_different(onnx::ValueId a, onnx::ValueId b) const;
  /// Whether both are constants with different content.
  bool have_different_content(onnx::ValueId a, onnx::ValueId b) const;

 private:
  // What writes a value.
  struct ValueSource {
    enum class Kind : std::uint8_t { nothing, graph_input, constant, node } kind = Kind::nothing;
    std::uint32_t group = no_group;
    std::size_t output = 0;
  };
  static ValueSource value_source(Side& side, onnx::ValueId value, const std::vector<std::uint32_t>& groups);
  bool is_one_sided(const ValueSource& source) const;
  bool is_setting(Side& side, onnx::NodeId node, std::size_t input) const;
  std::string text(Side& side, onnx::ValueId value) const;
  void compare_bodies(onnx::NodeId a, onnx::NodeId b, std::vector<std::string>& found) const;

  Side &a_, &b_;
  const Matching& matching_;
  const Grouping& grouping_;
};

}  // namespace thence::diff
