#include "reference/held_parameters.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <unordered_map>

#include "dataflow/weight_samples.h"
#include "reference/reference_weights.h"
#include "reference/row_order.h"
#include "reference/stored_weights.h"
#include "reference/thresholds.h"

namespace thence::reference {
namespace {

using dataflow::WeightElements;

constexpr double not_here = std::numeric_limits<double>::quiet_NaN();

// How the elements of a parameter lie in a weight of the file.
enum class Layout : std::uint8_t { same, transposed, experts_transposed };

// Finds the parameter of one weight, or of a part of one, among candidates.
class Search {
 public:
  Search(ReferenceWeights& reference, std::size_t comparisons)
      : reference_(reference), comparisons_left_(comparisons) {}

  struct Found {
    ParameterId parameter = 0;
    Layout layout = Layout::same;
  };
  /// The samples of the weight, at the positions at which a parameter of these numbers of rows and columns is
  /// sampled.
  using SamplesFor = std::function<std::vector<double>(const ReferenceWeight&, Layout)>;

  /// The candidate whose samples are those of the weight, if only one is. `expected`: tried first.
  std::optional<Found> find(std::span<const ParameterId> candidates, std::span<const Layout> layouts,
                            const SamplesFor& samples_for, std::optional<ParameterId> expected) {
    Comparison comparison{layouts, samples_for, {}};
    if (const auto found = find_expected(candidates, comparison, expected)) return found;
    return find_best(candidates, comparison, expected);
  }
  void set_last(ParameterId parameter) { last_ = parameter; }

 private:
  // Samples of one weight, computed once for each shape and layout.
  struct Comparison {
    std::span<const Layout> layouts;
    const SamplesFor& samples_for;
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, Layout>, std::vector<double>> samples;
  };

  double compare(Comparison& comparison, ParameterId candidate, Layout layout) {
    if (comparisons_left_ == 0) return 0;
    --comparisons_left_;
    const ReferenceWeight& theirs = reference_[candidate];
    const auto [entry, is_new] =
        comparison.samples.try_emplace({theirs.rows, theirs.columns, theirs.experts, layout});
    if (is_new) entry->second = comparison.samples_for(theirs, layout);
    const std::span<const double> ours = entry->second, samples = reference_.samples(candidate);
    // Most candidates are unlike at once. A part has too few samples for a first look.
    const bool can_look =
        ours.size() >= first_samples && samples.size() >= first_samples &&
        std::all_of(ours.begin(), ours.end(), [](double each) { return std::isfinite(each); });
    if (can_look && dataflow::correlation(ours.first(first_samples), samples.first(first_samples)) <
                        min_first_correlation)
      return 0;
    return dataflow::correlation(ours, samples);
  }

  Found best_layout(Comparison& comparison, ParameterId candidate, double& best) {
    Found found{candidate, Layout::same};
    best = 0;
    for (const Layout layout : comparison.layouts) {
      const double similarity = compare(comparison, candidate, layout);
      if (similarity > best) found.layout = layout;
      best = std::max(best, similarity);
    }
    return found;
  }

  // The parameter of the same name, and those around the last one found.
  std::optional<Found> find_expected(std::span<const ParameterId> candidates, Comparison& comparison,
                                     std::optional<ParameterId> expected) {
    const auto is_good = [&](ParameterId candidate, Found& found) {
      double best = 0;
      found = best_layout(comparison, candidate, best);
      return best >= (reference_[candidate].elements() < few_elements ? min_expected_correlation_of_few
                                                                      : min_expected_correlation);
    };
    Found found;
    if (expected && is_good(*expected, found)) return found;
    const auto next = std::lower_bound(candidates.begin(), candidates.end(), last_);
    for (auto after = next; after != candidates.end() && after - next < expected_parameters; ++after)
      if (is_good(*after, found)) return found;
    for (auto before = next; before != candidates.begin() && next - before < expected_parameters;)
      if (is_good(*--before, found)) return found;
    return std::nullopt;
  }

  std::optional<Found> find_best(std::span<const ParameterId> candidates, Comparison& comparison,
                                 std::optional<ParameterId> expected) {
    if (candidates.size() * comparison.layouts.size() > comparisons_left_) return std::nullopt;
    double best = 0, second = 0;
    Found found;
    for (const ParameterId candidate : candidates) {
      double similarity = 0;
      const Found each = best_layout(comparison, candidate, similarity);
      const bool is_better = similarity > best || (similarity == best && candidate == expected);
      second = std::max(second, is_better ? best : similarity);
      if (is_better) best = similarity, found = each;
    }
    const bool leads = (1 - best + rounding) * min_lead < 1 - second;
    const bool is_known = best >= min_correlation && (leads || found.parameter == expected);
    return is_known ? std::optional(found) : std::nullopt;
  }

  ReferenceWeights& reference_;
  std::size_t comparisons_left_;
  ParameterId last_ = 0;
};

std::vector<double> sample(const ReferenceWeight& theirs,
                           const std::function<double(std::uint64_t, std::uint64_t)>& at) {
  return dataflow::sample_weight(theirs.elements(), [&](std::uint64_t position) {
    return at(position / theirs.columns, position % theirs.columns);
  });
}

class Finder {
 public:
  Finder(const onnx::Model& model, std::span<const capture::CapturedParameter> parameters,
         std::size_t comparisons)
      : model_(model), reference_(parameters), search_(reference_, comparisons) {}

  // What is found with few comparisons comes first, so that the limit on them cuts only the rest.
  HeldParameters run() {
    HeldParameters all;
    all.by_initializer.resize(model_.initializers().size());
    if (reference_.empty()) return all;
    const StoredWeights stored(model_);
    all.weights = stored.all().size();
    for (const auto find :
         {&Finder::find_whole_of, &Finder::find_joined_of, &Finder::find_part_of, &Finder::find_rotated_of})
      for (const StoredWeight& each : stored.all()) {
        Held& held = all.by_initializer[each.initializer];
        if (!held.is_known()) {
          held = (this->*find)(each);
          all.found += held.is_known() ? 1 : 0;
        }
        if (held.is_known()) search_.set_last(held.parameters.back());
      }
    find_parts_beside(stored, all);
    return all;
  }

 private:
  std::string_view name_of(const StoredWeight& weight) const {
    const onnx::ValueId value = model_.initializers()[weight.initializer].value;
    return value == onnx::none ? std::string_view() : model_.value_name(value);
  }

  Held find_whole_of(const StoredWeight& weight) {
    return find_whole(weight.elements, reference_.named(name_of(weight)));
  }

  Held find_joined_of(const StoredWeight& weight) {
    const Held joined = find_joined(weight.elements, false);
    return joined.is_known() ? joined : find_joined(weight.elements, true);
  }

  Held find_part_of(const StoredWeight& weight) {
    const Held part = find_part(weight.elements, false);
    return part.is_known() ? part : find_part(weight.elements, true);
  }

  Held find_rotated_of(const StoredWeight& weight) {
    for (const bool is_transposed : {false, true})
      for (const HalfOrder order : {HalfOrder::interleaved, HalfOrder::separate}) {
        const Held held = find_rotated(weight.elements, is_transposed, order);
        if (held.is_known()) return held;
      }
    return {};
  }

  // Rotary embeddings turn pairs of rows of each head: some models store the first halves of all pairs before
  // the second ones, others store pairs.
  Held find_rotated(const WeightElements& ours, bool is_transposed, HalfOrder order) {
    static constexpr Layout layouts[] = {Layout::same};
    const std::uint64_t rows = is_transposed ? ours.columns : ours.rows;
    std::vector<ParameterId> candidates;
    for (const ParameterId each : reference_.of_size(ours.count()))
      if (reference_[each].rows == rows && reference_[each].experts == 1) candidates.push_back(each);
    if (candidates.empty()) return {};
    for (std::uint64_t head = min_rotated_head; head <= std::min(rows, max_rotated_head); head += 2) {
      if (rows % head != 0) continue;
      const auto found = search_.find(
          candidates, layouts,
          [&](const ReferenceWeight& theirs, Layout) {
            return sample(theirs, [&](std::uint64_t row, std::uint64_t column) {
              const std::uint64_t at = row - row % head + place_in_head(row % head, head, order);
              return is_transposed ? ours.at(column, at) : ours.at(at, column);
            });
          },
          std::nullopt);
      if (found) return {.parameters = {found->parameter}, .is_transposed = true};
    }
    return {};
  }

  Held find_whole(const WeightElements& ours, std::optional<ParameterId> named) {
    static constexpr Layout layouts[] = {Layout::same, Layout::transposed, Layout::experts_transposed};
    const auto candidates = reference_.of_size(ours.count());
    if (candidates.empty()) return {};
    if (named && reference_[*named].elements() != ours.count()) named.reset();
    const auto samples_for = [&](const ReferenceWeight& theirs, Layout layout) {
      return sample_whole(ours, theirs, layout);
    };
    const auto found = search_.find(candidates, layouts, samples_for, named);
    if (!found) return {};
    return {.parameters = {found->parameter}, .is_transposed = found->layout != Layout::same};
  }

  // In the same layout the shapes may differ, since only the order of the elements counts.
  static std::vector<double> sample_whole(const WeightElements& ours, const ReferenceWeight& theirs,
                                          Layout layout) {
    const auto element = [&](std::uint64_t index) {
      return ours.at(index / ours.columns, index % ours.columns);
    };
    const std::uint64_t rows_each = theirs.rows / theirs.experts;
    switch (layout) {
      case Layout::same:
        return sample(theirs, [&](std::uint64_t row, std::uint64_t column) {
          return element(row * theirs.columns + column);
        });
      case Layout::transposed:
        if (theirs.rows == 1 || theirs.columns == 1) return {};
        return sample(theirs, [&](std::uint64_t row, std::uint64_t column) {
          return element(column * theirs.rows + row);
        });
      case Layout::experts_transposed:
        if (theirs.experts == 1) return {};
        return sample(theirs, [&](std::uint64_t row, std::uint64_t column) {
          const std::uint64_t expert = row / rows_each;
          return element((expert * theirs.columns + column) * rows_each + row % rows_each);
        });
    }
    return {};
  }

  // Several parameters with rows of the same length, one after the other: q, k and v, or gate and up.
  Held find_joined(const WeightElements& ours, bool is_transposed) {
    const std::uint64_t rows = is_transposed ? ours.columns : ours.rows;
    const auto candidates = reference_.of_width(is_transposed ? ours.rows : ours.columns);
    Held held{.is_transposed = is_transposed};
    for (std::uint64_t first = 0; first < rows;) {
      const auto found = find_rows(ours, is_transposed, first, rows - first, candidates);
      if (!found || held.parameters.size() == max_parts) return {};
      held.parameters.push_back(*found);
      first += reference_[*found].rows;
      search_.set_last(*found);
    }
    return held.parameters.size() > 1 ? held : Held();
  }

  // The parameter that a weight holds from a row on.
  std::optional<ParameterId> find_rows(const WeightElements& ours, bool is_transposed, std::uint64_t first,
                                       std::uint64_t most, std::span<const ParameterId> candidates) {
    static constexpr Layout layouts[] = {Layout::same};
    const auto found = search_.find(
        candidates, layouts,
        [&](const ReferenceWeight& theirs, Layout) {
          if (theirs.rows > most) return std::vector<double>();
          return sample(theirs, [&](std::uint64_t row, std::uint64_t column) {
            return is_transposed ? ours.at(column, first + row) : ours.at(first + row, column);
          });
        },
        std::nullopt);
    return found ? std::optional(found->parameter) : std::nullopt;
  }

  // Some rows of a parameter: builders cut what a model has joined.
  Held find_part(const WeightElements& ours, bool is_transposed) {
    const std::uint64_t rows = is_transposed ? ours.columns : ours.rows;
    std::vector<ParameterId> larger;
    for (const ParameterId each : reference_.of_width(is_transposed ? ours.rows : ours.columns))
      if (reference_[each].rows > rows) larger.push_back(each);
    if (ours.count() < min_part_elements || larger.empty()) return {};
    return find_part_among(larger, ours, is_transposed);
  }

  // A vector is too short to be recognised as a part of one among all. It is a part of the vector beside the
  // parameter of which the file has a part beside it: biases are cut as their weights are.
  void find_parts_beside(const StoredWeights& stored, HeldParameters& all) {
    std::unordered_map<std::string_view, ParameterId> cut;  // by the name without its last part
    for (const StoredWeight& each : stored.all())
      if (const Held& held = all.by_initializer[each.initializer]; held.is_part)
        cut.emplace(split_name(name_of(each)).first, held.parameters.front());
    for (const StoredWeight& each : stored.all()) {
      const auto [beside, last] = split_name(name_of(each));
      const auto found = cut.find(beside);
      Held& held = all.by_initializer[each.initializer];
      if (held.is_known() || found == cut.end()) continue;
      const auto whole = reference_.beside(found->second, last);
      if (!whole || reference_[*whole].columns != each.elements.columns ||
          reference_[*whole].rows <= each.elements.rows)
        continue;
      held = find_part_among({&*whole, 1}, each.elements, false);
      all.found += held.is_known() ? 1 : 0;
    }
  }

  Held find_part_among(std::span<const ParameterId> larger, const WeightElements& ours, bool is_transposed) {
    static constexpr Layout layouts[] = {Layout::same};
    for (const Cut::Kind& kind : Cut::kinds(is_transposed ? ours.columns : ours.rows)) {
      const auto found = search_.find(
          larger, layouts,
          [&](const ReferenceWeight& theirs, Layout) {
            const std::uint64_t rows = is_transposed ? ours.columns : ours.rows;
            return sample_part(ours, theirs, is_transposed, Cut(kind, rows, theirs.rows));
          },
          std::nullopt);
      if (found) return {.parameters = {found->parameter}, .is_transposed = is_transposed, .is_part = true};
    }
    return {};
  }

  static std::vector<double> sample_part(const WeightElements& ours, const ReferenceWeight& theirs,
                                         bool is_transposed, const Cut& cut) {
    if (!cut.fits()) return {};
    std::size_t common = 0;
    std::vector<double> samples = sample(theirs, [&](std::uint64_t row, std::uint64_t column) {
      const std::optional<std::uint64_t> part = cut.row_of(row);
      if (!part) return not_here;
      ++common;
      return is_transposed ? ours.at(column, *part) : ours.at(*part, column);
    });
    return common < min_part_samples ? std::vector<double>() : samples;
  }

  const onnx::Model& model_;
  ReferenceWeights reference_;
  Search search_;
};

}  // namespace

HeldParameters find_held_parameters(const onnx::Model& model,
                                    std::span<const capture::CapturedParameter> parameters,
                                    std::size_t comparisons) {
  return Finder(model, parameters, comparisons).run();
}

}  // namespace thence::reference
