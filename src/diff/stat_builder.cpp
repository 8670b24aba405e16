#include "diff/stat_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "diff/thresholds.h"

namespace thence::diff {
namespace {

std::vector<std::int64_t> without_ones(std::vector<std::int64_t> dims) {
  std::erase(dims, 1);
  return dims;
}

enum class Layout : std::uint8_t { same, transposed, other };

Layout layout_of(const Tensor& a, const Tensor& b) {
  const auto one = without_ones(a.dims), other = without_ones(b.dims);
  if (one == other) return Layout::same;
  const bool are_matrices = one.size() == 2 && other.size() == 2;
  return are_matrices && one[0] == other[1] && one[1] == other[0] ? Layout::transposed : Layout::other;
}

double square(double number) { return number * number; }

// The sum of squared differences, if the second tensor has `rows` as its last axis.
double squared_change(const Elements& before, const Elements& after, std::uint64_t rows) {
  const std::uint64_t columns = std::max<std::uint64_t>(before.size() / std::max<std::uint64_t>(rows, 1), 1);
  double sum = 0;
  for (std::uint64_t i = 0; i < before.size(); ++i)
    sum += square(after[i % columns * rows + i / columns] - before[i]);
  return sum;
}

// The order of elements counts, except that a linear layer may be stored transposed. The shape does not show
// that for a square one, so the smaller change counts.
double squared_change(const Tensor& a, const Tensor& b, const Elements& before, const Elements& after) {
  const std::vector<std::int64_t> dims = without_ones(a.dims);
  const double same = layout_of(a, b) == Layout::same ? squared_change(before, after, 1)
                                                      : std::numeric_limits<double>::infinity();
  if (dims.size() != 2 || (layout_of(a, b) == Layout::same && dims[0] != dims[1])) return same;
  return std::min(same, squared_change(before, after, static_cast<std::uint64_t>(dims[0])));
}

}  // namespace

std::optional<double> StatRow::relative_change() const {
  if (weights == unmeasured) return std::nullopt;
  if (change == 0) return 0;  // also if all weights are zero
  const double quotient = std::sqrt(change / norm);
  return std::isfinite(quotient) ? std::optional(quotient) : std::nullopt;
}

std::string_view path_at_depth(std::string_view path, std::optional<std::size_t> depth) {
  if (!depth) return path;
  if (*depth == 0) return {};
  std::size_t end = 0;
  for (std::size_t level = 0; level < *depth; ++level) {
    end = path.find('.', level == 0 ? 0 : end + 1);
    if (end == std::string_view::npos) return path;
  }
  return path.substr(0, end);
}

std::string StatBuilder::key_of(const ModuleRow& module) const {
  return module.known ? "." + std::string(path_at_depth(module.path, options_.depth)) : "";
}

StatBuilder::Sums StatBuilder::measure(const WeightPair& pair) {
  const Tensor &a = *pair.a.tensor, &b = *pair.b.tensor;
  if (!a.is_read || !b.is_read) return {};
  const bool is_same = a.content == b.content || pair.has_same_numbers || weights_.have_same_numbers(a, b);
  Sums sums{.is_changed = !is_same};
  const auto before = weights_.elements_of_a(pair.a);
  const auto after = is_same ? before : weights_.elements_of_b(pair.b);
  if (!before || !after || (!is_same && layout_of(a, b) == Layout::other)) return sums;
  sums.is_measured = true;
  for (std::uint64_t i = 0; i < before->size(); ++i) sums.norm += square((*before)[i]);
  if (!is_same) sums.change = squared_change(a, b, *before, *after);
  return sums;
}

const StatBuilder::Sums& StatBuilder::sums_of(const WeightPair& pair) {
  const Tensor &a = *pair.a.tensor, &b = *pair.b.tensor;
  const auto [entry, is_new] = sums_.try_emplace({&a, &b});
  if (!is_new) return entry->second;
  if (a.raw.empty() || b.raw.empty() || readings_[{a.raw.data(), b.raw.data()}]++ < max_readings)
    entry->second = measure(pair);
  return entry->second;
}

void StatBuilder::add(WeightTotals& totals, const TensorPair& pair, const Sums& sums) {
  if (!totals.counted.insert(pair).second) return;
  ++totals.row.weights;
  totals.row.changed += sums.is_changed;
  totals.row.unmeasured += !sums.is_measured;
  totals.row.norm += sums.norm;
  totals.row.change += sums.change;
}

void StatBuilder::add_weights(const ModuleRow& module, const Group& group) {
  WeightTotals* totals = nullptr;
  for (const WeightPair& pair : weights_.pairs_of(group)) {
    if (pair.a.tensor->elements < 2) continue;  // the value of a mask would be larger than all weights
    if (totals == nullptr) totals = &by_module_[key_of(module)];
    const Sums& sums = sums_of(pair);
    add(*totals, {pair.a.tensor, pair.b.tensor}, sums);
    add(total_, {pair.a.tensor, pair.b.tensor}, sums);
  }
}

std::vector<StatRow> StatBuilder::finish(const std::vector<ModuleRow>& modules) {
  std::vector<StatRow> rows;
  std::unordered_map<std::string, std::size_t> numbers;
  for (const ModuleRow& module : modules) {
    const std::string key = key_of(module);
    const auto [entry, is_new] = numbers.try_emplace(key, rows.size());
    if (is_new) {
      rows.push_back(by_module_[key].row);
      rows.back().path = key.empty() ? key : key.substr(1);
      rows.back().known = module.known;
    }
    for (StatRow* const row : {&rows[entry->second], &total_.row}) {
      row->nodes_a += module.nodes_a;
      row->nodes_b += module.nodes_b;
      for (std::size_t i = 0; i < row->counts.size(); ++i) row->counts[i] += module.counts[i];
    }
  }
  return rows;
}

}  // namespace thence::diff
