#include "diff/weight_comparison.h"

#include <algorithm>

#include "base/format.h"
#include "dataflow/constant.h"
#include "diff/thresholds.h"
#include "onnx/content_hash.h"

namespace thence::diff {
namespace {

using dataflow::Trait;
using onnx::NodeId;
using onnx::none;

}  // namespace

// Includes weights that are read through views, as they are stored in the file. What such a view itself reads
// is compared where the view is read.
std::vector<WeightComparison::Weight> WeightComparison::weights_of(Side& side,
                                                                   const std::vector<onnx::NodeId>& nodes) {
  std::vector<Weight> weights;
  for (const onnx::NodeId id : nodes) {
    if (side.graph.is_view(id) && side.graph.has_constant_inputs(id)) continue;
    const onnx::Node node = side.model.node(id);
    const auto inputs = node.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == none || is_setting(node, i, side.constants.of(inputs[i]))) continue;
      if (const Tensor* const tensor = side.weight(inputs[i])) weights.push_back({i, tensor});
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

// Whether they hold the same numbers in any order; if their types differ, rounded to half precision.
bool WeightComparison::have_same_numbers(const Tensor& a, const Tensor& b) {
  if (a.elements != b.elements || a.message.empty() || b.message.empty()) return false;
  if (a.type == b.type && !a.raw.empty() && !b.raw.empty() && onnx::bytes_per_element(a.type) > 0)
    return unordered_hash(a) == unordered_hash(b);
  const std::uint64_t content = half_precision_hash(a);
  return content != 0 && content == half_precision_hash(b);
}

// One weight in the position of another.
void WeightComparison::compare(const Weight& before, const Weight& after) {
  const Tensor &a = *before.tensor, &b = *after.tensor;
  if (a.content == b.content || !a.is_read || !b.is_read) return;
  const std::string where = base::format("input {}", after.input);
  if (a.elements == 1 && b.elements == 1 && a.type == b.type && !a.numbers.empty()) {
    if (a.numbers != b.numbers)
      report_(DiffKind::weights, base::format("{}: {} -> {}", where, a.numbers, b.numbers));
    return;
  }
  const DiffKind kind = kind_of_change(a, b);
  const bool same_shape = kind == DiffKind::weights && a.dims == b.dims;
  report_(kind, same_shape ? base::format("{}: {}, other content", where, text_of(b))
                           : base::format("{}: {} -> {}", where, text_of(a), text_of(b)));
}

DiffKind WeightComparison::kind_of_change(const Tensor& a, const Tensor& b) {
  if (a.is_float() && b.is_narrow()) return DiffKind::quantised;
  if (!have_same_numbers(a, b)) return DiffKind::weights;
  if (a.type != b.type) return DiffKind::precision;
  return a.dims != b.dims ? DiffKind::shapes : DiffKind::weights;
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

void WeightComparison::compare(const Group& group,
                               const std::function<void(DiffKind, const std::string&)>& report) {
  report_ = report;
  std::vector<Weight> before = weights_of(a_, group.a), after = weights_of(b_, group.b);
  const NodeId a = group.a.front(), b = group.b.front();
  const bool is_same_operator =
      group.a.size() == 1 && group.b.size() == 1 && a_.graph.op(a).name == b_.graph.op(b).name;
  if (is_same_operator && !a_.graph.has_trait(a, Trait::commutative))
    return compare_by_position(before, after);
  if (before.size() <= max_compared_weights && after.size() <= max_compared_weights)
    return compare_by_content(std::move(before), std::move(after), is_same_operator);
  if (!have_same_contents(before, after))
    report_(DiffKind::not_compared, base::format("{} and {} weights: too many", before.size(), after.size()));
}

// Both are sorted by position.
void WeightComparison::compare_by_position(const std::vector<Weight>& before,
                                           const std::vector<Weight>& after) {
  std::size_t at = 0;
  for (const Weight& each : after) {
    while (at < before.size() && before[at].input < each.input) ++at;
    if (at < before.size() && before[at].input == each.input) compare(before[at], each);
  }
}

// If positions say nothing, equal weights belong together, and the only ones left of a shape. A fused
// operator may need another layout, which is not reported.
void WeightComparison::compare_by_content(std::vector<Weight> before, std::vector<Weight> after,
                                          bool is_same_operator) {
  std::erase_if(after, [&](const Weight& each) {
    const auto same = std::find_if(before.begin(), before.end(), [&](const Weight& other) {
      return other.tensor->content == each.tensor->content || have_same_numbers(*other.tensor, *each.tensor);
    });
    if (same == before.end()) return false;
    if (is_same_operator || same->tensor->type != each.tensor->type) compare(*same, each);
    before.erase(same);
    return true;
  });
  for (const Weight& each : after) {
    const auto has_shape = [&](const Weight& other) { return other.tensor->dims == each.tensor->dims; };
    if (std::count_if(before.begin(), before.end(), has_shape) == 1 &&
        std::count_if(after.begin(), after.end(), has_shape) == 1 && each.tensor->elements > 0)
      compare(*std::find_if(before.begin(), before.end(), has_shape), each);
  }
}

}  // namespace thence::diff
