// Weights: differences between the constants that the nodes of a group read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "diff/diff_kind.h"
#include "diff/elements.h"
#include "diff/groups.h"

namespace thence::diff {

/// A constant that a node reads as data, and the index of that input.
struct Weight {
  onnx::NodeId node;
  std::size_t input;
  const Tensor* tensor;
};

/// A weight of A, and the one in its place in B.
struct WeightPair {
  Weight a, b;
  bool has_same_numbers = false;  // in any order; only if weights are paired by content
};

class WeightComparison {
 public:
  WeightComparison(Side& a, Side& b) : a_(a), b_(b), quantisations_a_(a), quantisations_b_(b) {}

  /// Calls `report` with each kind of difference, and what differs.
  void compare(const Group& group, const std::function<void(DiffKind, const std::string&)>& report);
  /// The weights of a group that have a counterpart, equal ones included. None if there are too many to pair.
  std::vector<WeightPair> pairs_of(const Group& group);
  /// The first weight of a group whose data cannot be read; empty if all can.
  std::string first_unread(const Group& group);
  /// Whether they hold the same numbers in any order; if their types differ, rounded to half precision.
  bool have_same_numbers(const Tensor& a, const Tensor& b);

  /// The numbers of a weight, dequantised; nothing if they cannot be read.
  std::optional<Elements> elements_of_a(const Weight& weight) {
    return elements_of(quantisations_a_, weight);
  }
  std::optional<Elements> elements_of_b(const Weight& weight) {
    return elements_of(quantisations_b_, weight);
  }

 private:
  static std::optional<Elements> elements_of(InputQuantisations& quantisations, const Weight& weight);
  static std::vector<Weight> weights_of(Side& side, const std::vector<onnx::NodeId>& nodes);
  bool is_same_operator(const Group& group) const;
  std::uint64_t unordered_hash(const Tensor& tensor);
  std::uint64_t half_precision_hash(const Tensor& tensor);
  void compare(const WeightPair& pair);
  std::vector<WeightPair> pair_by_content(std::vector<Weight> before, std::vector<Weight> after);
  DiffKind kind_of_change(const WeightPair& pair);
  DiffKind kind_of_quantised(const WeightPair& pair);
  bool have_same_contents(const std::vector<Weight>& a, const std::vector<Weight>& b);

  Side &a_, &b_;
  InputQuantisations quantisations_a_, quantisations_b_;
  std::function<void(DiffKind, const std::string&)> report_;
  // Hashes of the numbers in any order, as stored and rounded to half precision. Each range is read once.
  dataflow::ByRange<std::uint64_t> unordered_hashes_, half_precision_hashes_;
};

}  // namespace thence::diff
