// PairWeights: how well a node and a step fit each other, before their order is considered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "match/align.h"

namespace thence::match {

class PairWeights {
 public:
  PairWeights(const capture::Recording& recording, const onnx::Model& model,
              const std::vector<NodeItem>& items, const EmissionTable& table, const AlignOptions& options);

  /// Whether the table has the step's operation becoming the item's operator.
  bool is_typical(std::uint32_t item, std::uint32_t step) const;
  float skip_probability(std::uint32_t step) const { return skip_[recording_.steps[step].op_name]; }
  float repeat_probability(std::uint32_t step) const { return repeat_[recording_.steps[step].op_name]; }
  const std::string& operator_name(std::uint32_t item) const { return operator_names_[operators_[item]]; }

  /// The weights of `item` with each step of [first, past), into `out`.
  void weigh_row(std::uint32_t item, std::uint32_t first, std::uint32_t past, std::vector<float>& out) const;

  /// Favours steps that read what the producers' steps wrote, as the first pass found them.
  void use_flow(const Alignment& alignment);

  /// Bounds the steps of each item by anchors, which are in the order of items and of steps.
  void use_anchors(const std::vector<Anchor>& chain);

  /// By parameter: the steps that read it.
  const std::vector<std::vector<std::uint32_t>>& parameter_uses() const { return parameter_uses_; }

 private:
  void number_operators(const onnx::Model& model);
  void read_table(const EmissionTable& table);
  void find_parameter_uses();
  void weigh_pairs(std::uint32_t item, std::uint32_t first, std::vector<float>& out) const;
  void favour_flow(std::uint32_t item, std::uint32_t first, std::vector<float>& out) const;
  void exclude_pairs(std::uint32_t item, std::uint32_t first, std::vector<float>& out) const;
  bool uses_flow(std::uint32_t item) const { return !fed_steps_.empty() && !items_[item].producers.empty(); }

  const capture::Recording& recording_;
  const std::vector<NodeItem>& items_;
  const AlignOptions& options_;
  std::vector<std::uint32_t> operators_;       // by item: in `operator_names_`
  std::vector<std::string> operator_names_;    // distinct
  std::vector<float> skip_, repeat_;           // by word
  std::vector<std::vector<float>> emissions_;  // by word and operator
  std::vector<std::vector<std::uint32_t>> parameter_uses_;
  std::vector<bool> reads_parameter_, has_inputs_;     // by step
  std::vector<std::uint64_t> shapes_;                  // by step
  std::vector<std::vector<std::uint32_t>> fed_steps_;  // by item: steps that its producers' steps feed
  std::vector<std::uint32_t> min_step_, max_step_;     // by item: the bounds of its step
};

}  // namespace thence::match
