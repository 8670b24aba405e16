// Changes: what differs between the nodes of a group.
#pragma once

#include <string>
#include <vector>

#include "diff/declared_types.h"
#include "diff/diff_kind.h"
#include "diff/groups.h"
#include "diff/input_comparison.h"
#include "diff/weight_comparison.h"

namespace thence::diff {

struct Change {
  DiffKind kind;
  std::string detail;
};

class Changes {
 public:
  Changes(Side& a, Side& b, const InputComparison& inputs)
      : a_(a), b_(b), inputs_(inputs), weights_(a, b), declared_a_(a.model), declared_b_(b.model) {}

  std::vector<Change> find(const Group& group);

 private:
  void compare_operators(const Group& group);
  void compare_settings(onnx::NodeId a, onnx::NodeId b);
  void compare_shapes(onnx::NodeId a, onnx::NodeId b);
  void add(DiffKind kind, const std::string& detail);

  Side &a_, &b_;
  const InputComparison& inputs_;
  WeightComparison weights_;
  DeclaredTypes declared_a_, declared_b_;
  std::vector<Change> found_;
};

}  // namespace thence::diff
