#include "match/pair_weights.h"

#include <algorithm>

#include "match/thresholds.h"

namespace thence::match {
namespace {

using capture::Recording;

// -1 if a dimension is unknown.
std::int64_t element_count(const capture::RecordedValue& value) {
  if (!value.has_shape) return -1;
  std::int64_t count = 1;
  for (const std::int64_t size : value.shape) count = size < 0 ? -1 : count * size;
  return count;
}

void sort_unique(std::vector<std::uint32_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

// The parameters that each value holds. A step that only prepares parameters (a transposed weight) forwards
// them to the consumers of its result, because exporters fold it. A result of another size does not have the
// content of the parameter.
class HeldParameters {
 public:
  explicit HeldParameters(const Recording& recording)
      : recording_(recording), held_(recording.values.size()), sizes_(recording.parameters.size(), -1) {
    for (std::size_t value = 0; value < held_.size(); ++value)
      if (const std::uint32_t parameter = recording.values[value].parameter; parameter != onnx::none) {
        held_[value] = {parameter};
        sizes_[parameter] = element_count(recording.values[value]);
      }
  }

  // Those that a step reads, and forwards if it only prepares them. Steps are visited in order.
  std::vector<std::uint32_t> read_by(std::uint32_t step) {
    std::vector<std::uint32_t> read;
    bool only_prepares = !recording_.inputs(step).empty();
    for (const std::uint32_t value : recording_.inputs(step)) {
      only_prepares &= !held_[value].empty();
      read.insert(read.end(), held_[value].begin(), held_[value].end());
    }
    sort_unique(read);
    if (only_prepares && read.size() <= max_consumers)
      for (const std::uint32_t value : recording_.outputs(step)) forward(read, value);
    return read;
  }

 private:
  void forward(const std::vector<std::uint32_t>& parameters, std::uint32_t value) {
    const std::int64_t size = element_count(recording_.values[value]);
    for (const std::uint32_t parameter : parameters)
      if (size < 0 || sizes_[parameter] < 0 || size == sizes_[parameter]) held_[value].push_back(parameter);
  }

  const Recording& recording_;
  std::vector<std::vector<std::uint32_t>> held_;  // by value
  std::vector<std::int64_t> sizes_;               // by parameter
};

}  // namespace

PairWeights::PairWeights(const Recording& recording, const onnx::Model& model,
                         const std::vector<NodeItem>& items, const EmissionTable& table,
                         const AlignOptions& options)
    : recording_(recording), items_(items), options_(options) {
  number_operators(model);
  read_table(table);
  find_parameter_uses();
}

void PairWeights::number_operators(const onnx::Model& model) {
  std::unordered_map<std::string, std::uint32_t> numbers;
  for (const NodeItem& item : items_) {
    const auto [found, is_new] =
        numbers.emplace(model.node(item.node).op_type(), static_cast<std::uint32_t>(numbers.size()));
    operators_.push_back(found->second);
    if (is_new) operator_names_.emplace_back(found->first);
  }
}

void PairWeights::read_table(const EmissionTable& table) {
  for (const std::string& word : recording_.op_names) {
    const OpEmission emission = table.emission(word);
    skip_.push_back(std::clamp(emission.skip_probability, min_transition, max_skip));
    repeat_.push_back(std::clamp(emission.repeat_probability, min_transition, max_repeat));
    std::vector<float> probabilities;
    for (const std::string& op : operator_names_) {
      const auto found = emission.operators.find(op);
      float probability =
          found == emission.operators.end() ? min_emission : std::max(found->second, min_emission);
      if (!table.knows_operator(op) && same_op_name(word, op)) probability = same_name_emission;
      probabilities.push_back(probability);
    }
    emissions_.push_back(std::move(probabilities));
  }
}

void PairWeights::find_parameter_uses() {
  const std::size_t steps = recording_.steps.size();
  HeldParameters held(recording_);
  parameter_uses_.resize(recording_.parameters.size());
  reads_parameter_.resize(steps);
  shapes_.resize(steps);
  has_inputs_.resize(steps);
  for (std::uint32_t step = 0; step < steps; ++step) {
    if (recording_.steps[step].kind != capture::RecordedStep::Kind::operation) continue;
    const auto producers = recording_.input_producers(step);
    has_inputs_[step] =
        std::any_of(producers.begin(), producers.end(), [](auto producer) { return producer != onnx::none; });
    const std::vector<std::uint32_t> read = held.read_by(step);
    reads_parameter_[step] = !read.empty();
    for (const std::uint32_t parameter : read) parameter_uses_[parameter].push_back(step);
    const auto outputs = recording_.outputs(step);
    if (!outputs.empty() && recording_.values[outputs.front()].has_shape)
      shapes_[step] = hash_of_shape(recording_.values[outputs.front()].shape);
  }
}

bool PairWeights::is_typical(std::uint32_t item, std::uint32_t step) const {
  return emissions_[recording_.steps[step].op_name][operators_[item]] > min_emission;
}

void PairWeights::weigh_row(std::uint32_t item, std::uint32_t first, std::uint32_t past,
                            std::vector<float>& out) const {
  out.resize(past - first);
  weigh_pairs(item, first, out);
  for (const std::uint32_t parameter : items_[item].parameters)
    for (const std::uint32_t step : parameter_uses_[parameter])
      if (step >= first && step < past) out[step - first] *= same_parameter_factor / other_parameter_factor;
  favour_flow(item, first, out);
  exclude_pairs(item, first, out);
}

void PairWeights::weigh_pairs(std::uint32_t item, std::uint32_t first, std::vector<float>& out) const {
  const NodeItem& node = items_[item];
  const std::uint32_t op = operators_[item];
  const float step_without = node.parameters.empty() ? 1.0f : only_node_reads_factor;
  const float step_with = node.parameters.empty() ? only_step_reads_factor : other_parameter_factor;
  const bool has_flow = uses_flow(item);
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const std::uint32_t step = first + i;
    float weight =
        emissions_[recording_.steps[step].op_name][op] * (reads_parameter_[step] ? step_with : step_without);
    if (node.shape != 0 && shapes_[step] != 0)
      weight *= node.shape == shapes_[step] ? same_shape_factor : other_shape_factor;
    if (has_flow && has_inputs_[step]) weight *= against_flow_factor;
    out[i] = weight;
  }
}

void PairWeights::favour_flow(std::uint32_t item, std::uint32_t first, std::vector<float>& out) const {
  if (!uses_flow(item)) return;
  for (const std::uint32_t step : fed_steps_[item])
    if (step >= first && step - first < out.size() && has_inputs_[step])
      out[step - first] *= along_flow_factor / against_flow_factor;
}

void PairWeights::exclude_pairs(std::uint32_t item, std::uint32_t first, std::vector<float>& out) const {
  if (!min_step_.empty())
    for (std::uint32_t i = 0; i < out.size(); ++i)
      if (first + i < min_step_[item] || first + i > max_step_[item]) out[i] = 0;
  if (options_.is_pair_allowed)
    for (std::uint32_t i = 0; i < out.size(); ++i)
      if (!options_.is_pair_allowed(first + i, item)) out[i] *= excluded_pair_factor;
}

void PairWeights::use_flow(const Alignment& alignment) {
  std::vector<std::vector<std::uint32_t>> consumers(recording_.steps.size());
  for (std::uint32_t step = 0; step < recording_.steps.size(); ++step)
    for (const std::uint32_t producer : recording_.input_producers(step))
      if (producer != onnx::none && consumers[producer].size() < max_consumers)
        consumers[producer].push_back(step);
  fed_steps_.assign(items_.size(), {});
  for (std::uint32_t item = 0; item < items_.size(); ++item) {
    std::vector<std::uint32_t>& fed = fed_steps_[item];
    for (const std::uint32_t producer : items_[item].producers) {
      const auto& posteriors = alignment.posteriors[producer];
      if (posteriors.empty() || posteriors.front().probability < min_flow_posterior) continue;
      const std::uint32_t step = posteriors.front().step;
      fed.push_back(step);
      fed.insert(fed.end(), consumers[step].begin(), consumers[step].end());
    }
    sort_unique(fed);
  }
}

void PairWeights::use_anchors(const std::vector<Anchor>& chain) {
  const auto past_items = static_cast<std::uint32_t>(items_.size());
  min_step_.assign(items_.size(), 0);
  max_step_.assign(items_.size(), static_cast<std::uint32_t>(recording_.steps.size()));
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const std::uint32_t next = i + 1 < chain.size() ? chain[i + 1].item : past_items;
    const std::uint32_t before = i == 0 ? 0 : chain[i - 1].item + 1;
    std::fill(min_step_.begin() + chain[i].item, min_step_.begin() + next, chain[i].step);
    std::fill(max_step_.begin() + before, max_step_.begin() + chain[i].item + 1, chain[i].step);
  }
}

}  // namespace thence::match
