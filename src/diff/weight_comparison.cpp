#include "diff/weight_comparison.h"

#include <algorithm>

#include "base/format.h"
#include "dataflow/constant.h"
#include "diff/thresholds.h"
#include "onnx/content_hash.h"
#include "weights/quantisation.h"

namespace thence::diff {
namespace {

using dataflow::Trait;
using onnx::NodeId;
using onnx::none;

std::string text_of_change(const Tensor& a, const Tensor& b, DiffKind kind) {
  if (kind == DiffKind::weights && a.dims == b.dims && a.type == b.type)
    return text_of(b) + ", other content";
  std::string text = base::format("{} -> {}", text_of(a), text_of(b));
  if (kind == DiffKind::weights && a.elements == b.elements) text += ", other content";
  if (kind == DiffKind::not_compared) text += ", and the scale cannot be read";
  return text;
}

}  // namespace

// Includes weights that are read through views, as they are stored in the file. What such a view itself reads
// is compared where the view is read.
std::vector<Weight> WeightComparison::weights_of(Side& side, const std::vector<onnx::NodeId>& nodes) {
  std::vector<Weight> weights;
  for (const onnx::NodeId id : nodes) {
    if (side.graph.is_view(id) && side.graph.has_constant_inputs(id)) continue;
    const onnx::Node node = side.model.node(id);
    const auto inputs = node.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == none || is_setting(node, i, side.constants.of(inputs[i]))) continue;
      if (const Tensor* const tensor = side.weight(inputs[i])) weights.push_back({id, i, tensor});
    }
  }
  return weights;
}

std::uint64_t WeightComparison::unordered_hash(const Tensor& tensor) {
  const auto [entry, is_new] =
      unordered_hashes_.try_emplace({tensor.raw.data(), tensor.raw.size(), tensor.type});
  if (is_new) entry->second = onnx::hash_content(tensor.raw, onnx::bytes_per_element(tensor.type)).unordered;
  return entry->second;
}

std::uint64_t WeightComparison::half_precision_hash(const Tensor& tensor) {
  if (tensor.raw.empty()) return dataflow::constant_of(tensor.message).fingerprint;
  const auto [entry, is_new] =
      half_precision_hashes_.try_emplace({tensor.raw.data(), tensor.raw.size(), tensor.type});
  if (is_new) entry->second = dataflow::constant_of(tensor.type, tensor.raw).fingerprint;
  return entry->second;
}

bool WeightComparison::have_same_numbers(const Tensor& a, const Tensor& b) {
  if (a.elements != b.elements || a.message.empty() || b.message.empty()) return false;
  if (a.type == b.type && !a.raw.empty() && !b.raw.empty() && onnx::bytes_per_element(a.type) > 0)
    return unordered_hash(a) == unordered_hash(b);
  const std::uint64_t content = half_precision_hash(a);
  return content != 0 && content == half_precision_hash(b);
}

std::optional<Elements> WeightComparison::elements_of(InputQuantisations& quantisations,
                                                      const Weight& weight) {
  const InputQuantisation found = quantisations.of(weight.node, weight.input);
  if (found.is_quantised && !found.is_known) return std::nullopt;
  // Without its scale: an operator dequantises the result instead.
  if (!found.is_quantised && weight.tensor->is_narrow() && !weight.tensor->is_float()) return std::nullopt;
  return Elements::of(*weight.tensor, found.is_quantised ? &found.quantisation : nullptr);
}

// One weight in the place of another.
void WeightComparison::compare(const WeightPair& pair) {
  const Tensor &a = *pair.a.tensor, &b = *pair.b.tensor;
  if (a.content == b.content || !a.is_read || !b.is_read) return;
  const std::string where = base::format("input {}", pair.b.input);
  if (a.elements == 1 && b.elements == 1 && a.type == b.type && !a.numbers.empty()) {
    if (a.numbers != b.numbers)
      report_(DiffKind::weights, base::format("{}: {} -> {}", where, a.numbers, b.numbers));
    return;
  }
  const DiffKind kind = kind_of_change(pair);
  report_(kind, base::format("{}: {}", where, text_of_change(a, b, kind)));
}

DiffKind WeightComparison::kind_of_change(const WeightPair& pair) {
  const Tensor &a = *pair.a.tensor, &b = *pair.b.tensor;
  if ((a.is_float() && b.is_narrow()) || (a.is_narrow() && b.is_float())) return DiffKind::quantised;
  if (a.is_float() != b.is_float()) return kind_of_quantised(pair);
  if (!have_same_numbers(a, b)) return DiffKind::weights;
  if (a.type != b.type) return DiffKind::precision;
  return a.dims != b.dims ? DiffKind::shapes : DiffKind::weights;
}

// Biases are quantised to 32 bits, with the product of the scales of both operands. So wide a number is
// precise enough to tell a rounded bias from another one.
DiffKind WeightComparison::kind_of_quantised(const WeightPair& pair) {
  const bool is_b_quantised = pair.a.tensor->is_float();
  const Weight &number = is_b_quantised ? pair.a : pair.b, &integer = is_b_quantised ? pair.b : pair.a;
  const InputQuantisation found = is_b_quantised ? quantisations_b_.of(integer.node, integer.input)
                                                 : quantisations_a_.of(integer.node, integer.input);
  if (!found.is_quantised) return DiffKind::weights;
  if (!found.is_known) return DiffKind::not_compared;
  const auto numbers = Elements::of(*number.tensor),
             integers = Elements::of(*integer.tensor, &found.quantisation);
  return numbers && integers && are_rounded(*numbers, *integers) ? DiffKind::quantised : DiffKind::weights;
}

std::string WeightComparison::first_unread(const Group& group) {
  for (const std::vector<Weight>& weights : {weights_of(a_, group.a), weights_of(b_, group.b)})
    for (const Weight& each : weights)
      if (!each.tensor->is_read)
        return base::format("input {}: {}, data cannot be read", each.input, text_of(*each.tensor));
  return {};
}

bool WeightComparison::have_same_contents(const std::vector<Weight>& a, const std::vector<Weight>& b) {
  const auto contents = [](const std::vector<Weight>& weights) {
    std::vector<std::uint64_t> found;
    for (const Weight& each : weights) found.push_back(each.tensor->content);
    std::sort(found.begin(), found.end());
    return found;
  };
  return contents(a) == contents(b);
}

bool WeightComparison::is_same_operator(const Group& group) const {
  return group.a.size() == 1 && group.b.size() == 1 &&
         a_.graph.op(group.a.front()).name == b_.graph.op(group.b.front()).name;
}

void WeightComparison::compare(const Group& group,
                               const std::function<void(DiffKind, const std::string&)>& report) {
  report_ = report;
  const bool same_operator = is_same_operator(group);
  for (const WeightPair& pair : pairs_of(group))
    // A fused operator may need another layout, which is not reported.
    if (same_operator || !pair.has_same_numbers || pair.a.tensor->type != pair.b.tensor->type) compare(pair);
  if (same_operator && !a_.graph.has_trait(group.a.front(), Trait::commutative)) return;
  const std::vector<Weight> before = weights_of(a_, group.a), after = weights_of(b_, group.b);
  if ((before.size() > max_compared_weights || after.size() > max_compared_weights) &&
      !have_same_contents(before, after))
    report_(DiffKind::not_compared, base::format("{} and {} weights: too many", before.size(), after.size()));
}

std::vector<WeightPair> WeightComparison::pairs_of(const Group& group) {
  if (group.a.empty() || group.b.empty()) return {};
  std::vector<Weight> before = weights_of(a_, group.a), after = weights_of(b_, group.b);
  if (!is_same_operator(group) || a_.graph.has_trait(group.a.front(), Trait::commutative)) {
    if (before.size() > max_compared_weights || after.size() > max_compared_weights) return {};
    return pair_by_content(std::move(before), std::move(after));
  }
  std::vector<WeightPair> pairs;
  std::size_t at = 0;  // both are sorted by position
  for (const Weight& each : after) {
    while (at < before.size() && before[at].input < each.input) ++at;
    if (at < before.size() && before[at].input == each.input) pairs.push_back({before[at], each});
  }
  return pairs;
}

// If positions say nothing, equal weights belong together, and the only ones left of a shape. Scales and zero
// points have no counterpart in a model that is not quantised.
std::vector<WeightPair> WeightComparison::pair_by_content(std::vector<Weight> before,
                                                          std::vector<Weight> after) {
  std::vector<WeightPair> pairs;
  std::erase_if(after, [&](const Weight& each) {
    const auto same = std::find_if(before.begin(), before.end(), [&](const Weight& other) {
      return other.tensor->content == each.tensor->content || have_same_numbers(*other.tensor, *each.tensor);
    });
    if (same == before.end()) return false;
    pairs.push_back({*same, each, true});
    before.erase(same);
    return true;
  });
  const auto erase_scales = [](const Side& side, std::vector<Weight>& weights) {
    std::erase_if(weights, [&](const Weight& each) {
      return weights::is_scale_or_zero_point(side.model.node(each.node).op_type(), each.input);
    });
  };
  erase_scales(a_, before);
  erase_scales(b_, after);
  for (const Weight& each : after) {
    const auto has_shape = [&](const Weight& other) { return other.tensor->dims == each.tensor->dims; };
    if (std::count_if(before.begin(), before.end(), has_shape) == 1 &&
        std::count_if(after.begin(), after.end(), has_shape) == 1 && each.tensor->elements > 0)
      pairs.push_back({*std::find_if(before.begin(), before.end(), has_shape), each});
  }
  return pairs;
}

}  // namespace thence::diff
