// Weights: differences between the constants that the nodes of a group read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "diff/diff_kind.h"
#include "diff/groups.h"

namespace thence::diff {

class WeightComparison {
 public:
  WeightComparison(Side& a, Side& b) : a_(a), b_(b) {}

  /// Calls `report` with each kind of difference, and what differs.
  void compare(const Group& group, const std::function<void(DiffKind, const std::string&)>& report);
  /// The first weight of a group whose data cannot be read; empty if all can.
  std::string first_unread(const Group& group);

 private:
  // A constant that a node reads as data, and the index of that input.
  struct Weight {
    std::size_t input;
    const Tensor* tensor;
  };
  static std::vector<Weight> weights_of(Side& side, const std::vector<onnx::NodeId>& nodes);
  bool have_same_numbers(const Tensor& a, const Tensor& b);
  std::uint64_t unordered_hash(const Tensor& tensor);
  std::uint64_t half_precision_hash(const Tensor& tensor);
  void compare(const Weight& a, const Weight& b);
  void compare_by_position(const std::vector<Weight>& before, const std::vector<Weight>& after);
  void compare_by_content(std::vector<Weight> before, std::vector<Weight> after, bool is_same_operator);
  DiffKind kind_of_change(const Tensor& a, const Tensor& b);
  bool have_same_contents(const std::vector<Weight>& a, const std::vector<Weight>& b);

  Side &a_, &b_;
  std::function<void(DiffKind, const std::string&)> report_;
  // Hashes of the numbers in any order, as stored and rounded to half precision. Each range is read once.
  dataflow::ByRange<std::uint64_t> unordered_hashes_, half_precision_hashes_;
};

}  // namespace thence::diff
