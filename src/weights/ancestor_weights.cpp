#include "weights/ancestor_weights.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "dataflow/hash_mix.h"
#include "hierarchy/initializer_behind.h"
#include "weights/consumers.h"
#include "weights/limits.h"

namespace thence::weights {
namespace {

using dataflow::Constant;

constexpr std::uint64_t order_samples = 64;
constexpr double same_number = 0.01;  // relative; half precision keeps three digits

// Whether the elements at some positions are the same numbers.
bool are_in_same_order(const Constant& ours, const Constant& theirs) {
  for (std::uint64_t i = 0; i < order_samples; ++i) {
    const std::uint64_t at = dataflow::combine_hash(i, ours.elements) % ours.elements;
    const double a = ours.element(at), b = theirs.element(at);
    if (std::abs(a - b) > same_number * std::abs(b) + 1e-7) return false;
  }
  return true;
}

void add_size(std::vector<std::uint64_t>& sizes, std::uint64_t size) {
  if (size > 0 && sizes.size() < max_part_sizes && std::find(sizes.begin(), sizes.end(), size) == sizes.end())
    sizes.push_back(size);
}

// By elements if they can be read, else by shape.
bool have_same_order(const onnx::TensorView& ours, const Constant* our_elements,
                     const onnx::TensorView& theirs, const Constant* their_elements) {
  const auto is_readable = [](const Constant* constant) {
    return constant != nullptr && constant->is_readable();
  };
  if (is_readable(our_elements) && is_readable(their_elements) &&
      our_elements->elements == their_elements->elements)
    return are_in_same_order(*our_elements, *their_elements);
  const auto rank = static_cast<std::size_t>(
      std::count_if(ours.dims.begin(), ours.dims.end(), [](std::int64_t size) { return size != 1; }));
  return ours.dims == theirs.dims || rank < 2;
}

}  // namespace

AncestorWeights::AncestorWeights(const semantics::Map& ancestor, const dataflow::ValueGraph& graph,
                                 std::vector<Weight> weights)
    : model_(ancestor.model()), graph_(graph), weights_(std::move(weights)) {
  for (std::uint32_t i = 0; i < weights_.size(); ++i) {
    const onnx::Initializer& initializer = model_.initializers()[i];
    tensors_.push_back(initializer.sparse ? onnx::TensorView() : model_.tensor(initializer));
    if (initializer.value == onnx::none) continue;
    if (initializer.graph == 0) by_name_.emplace(model_.value_name(initializer.value), i);
    const Constant* const content = constant(i);
    if (content == nullptr || content->fingerprint == 0) continue;
    if (auto& equal = by_content_[content->fingerprint]; equal.size() < max_equal_initializers)
      equal.push_back(i);
    if (!content->is_readable() || !content->is_float || !weights_[i].holds_parameters()) continue;
    add_size(columns_by_rows_[content->rows], content->columns());
    add_size(rows_by_columns_[content->columns()], content->rows);
  }
}

const Constant* AncestorWeights::constant(std::uint32_t initializer) const {
  const onnx::ValueId value = model_.initializers()[initializer].value;
  return value == onnx::none ? nullptr : graph_.constant(graph_.canonical(value));
}

std::uint32_t AncestorWeights::with_name(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? onnx::none : found->second;
}

std::span<const std::uint32_t> AncestorWeights::with_content(std::uint64_t fingerprint) const {
  const auto found = by_content_.find(fingerprint);
  if (found == by_content_.end()) return {};
  return found->second;
}

std::vector<std::uint32_t> AncestorWeights::computed_from(onnx::ValueId value) const {
  std::vector<std::uint32_t> found;
  std::vector<onnx::ValueId> pending{value};
  std::unordered_set<onnx::ValueId> seen{value};
  while (!pending.empty()) {
    if (seen.size() > max_folded_values) return {};
    const onnx::Producer producer = model_.producer(pending.back());
    pending.pop_back();
    if (producer.kind == onnx::Producer::Kind::initializer) found.push_back(producer.index);
    if (producer.kind == onnx::Producer::Kind::graph_input) return {};
    if (producer.kind != onnx::Producer::Kind::node) continue;
    // The shape of a value may be known although the value is not.
    if (dataflow::has_trait(model_.node(producer.index), dataflow::Trait::reads_shape)) continue;
    for (const onnx::ValueId input : model_.node(producer.index).inputs())
      if (input != onnx::none && seen.insert(input).second) pending.push_back(input);
  }
  return found;
}

std::vector<std::uint32_t> AncestorWeights::parts_of(const Constant& joined) const {
  if (!joined.is_readable() || !joined.is_float) return {};
  const auto columns = columns_by_rows_.find(joined.rows);
  if (columns != columns_by_rows_.end()) {
    auto parts = find_parts(joined.columns(), columns->second, [&](std::uint64_t first, std::uint64_t count) {
      return dataflow::columns_of(joined, first, count).fingerprint;
    });
    if (!parts.empty()) return parts;
  }
  const auto rows = rows_by_columns_.find(joined.columns());
  const std::uint64_t row_bytes = joined.columns() * onnx::bytes_per_element(joined.type);
  if (rows == rows_by_columns_.end() || joined.stride != joined.columns() || row_bytes == 0) return {};
  return find_parts(joined.rows, rows->second, [&](std::uint64_t first, std::uint64_t count) {
    return dataflow::constant_of(joined.type, joined.data.substr(first * row_bytes, count * row_bytes))
        .fingerprint;
  });
}

std::vector<std::uint32_t> AncestorWeights::find_parts(
    std::uint64_t length, const std::vector<std::uint64_t>& sizes,
    const std::function<std::uint64_t(std::uint64_t, std::uint64_t)>& fingerprint) const {
  std::vector<std::uint32_t> parts;
  for (std::uint64_t at = 0; at < length;) {
    std::uint32_t part = onnx::none;
    for (std::size_t i = 0; i < sizes.size() && part == onnx::none; ++i) {
      if (sizes[i] >= length || sizes[i] > length - at) continue;
      const auto equal = with_content(fingerprint(at, sizes[i]));
      if (equal.size() != 1 || !weights_[equal.front()].holds_parameters()) continue;
      part = equal.front();
      at += sizes[i];
    }
    if (part == onnx::none || parts.size() == max_parameters) return {};
    parts.push_back(part);
  }
  return parts;
}

std::vector<std::uint32_t> AncestorWeights::read_by(onnx::NodeId node) const {
  std::vector<std::uint32_t> found;
  const auto inputs = model_.node(node).inputs();
  for (const onnx::ValueId value : inputs.first(std::min(inputs.size(), max_inputs)))
    found.push_back(hierarchy::initializer_behind(model_, value));
  return found;
}

Transform compare_elements(const onnx::TensorView& ours, const Constant* our_elements,
                           const onnx::TensorView& theirs, const Constant* their_elements) {
  if (onnx::is_float(theirs.data_type) && !onnx::is_float(ours.data_type)) return Transform::quantised;
  if (our_elements != nullptr && (our_elements->is_rescaled || our_elements->factor != 1))
    return Transform::folded;
  const std::uint64_t elements = ours.elements().value_or(0), before = theirs.elements().value_or(0);
  if (elements > before) return Transform::packed;
  if (elements < before) return Transform::split;
  if (ours.data_type != theirs.data_type) return Transform::cast;
  return have_same_order(ours, our_elements, theirs, their_elements) ? Transform::identity
                                                                     : Transform::transposed;
}

Transform compose(Transform first, Transform second) {
  if (first == Transform::transposed && second == Transform::transposed) return Transform::identity;
  return std::max(first, second);
}

}  // namespace thence::weights
