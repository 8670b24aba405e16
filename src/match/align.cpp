#include "match/align.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>

#include "match/order.h"

namespace thence::match {
namespace {

using capture::Recording;

// Weights of what speaks for or against a pair, beside the operators. Powers of e, rounded.
constexpr float same_parameter = 3000, other_parameter = 0.0003f, no_parameter_there = 0.05f,
                parameter_unread = 0.4f;
constexpr float same_shape = 3, other_shape = 0.6f;
constexpr float flows = 4, flows_not = 0.3f;
constexpr float called_alike = 0.5f;  // an operator never met, and an operation of the same name
constexpr float least = 1e-7f;        // nothing is impossible

constexpr std::size_t most_cells = std::size_t{1}
                                   << 22;      // weighed at once; larger stretches are cut or banded
constexpr std::uint32_t most_items = 1 << 14;  // in one stretch: with more, order alone says little
constexpr std::size_t hub = 64;                // readers of a value that say something

// What the pairs of one stretch are weighed with.
class Weights {
 public:
  Weights(const Recording& recording, const onnx::Model& model, const std::vector<NodeItem>& items,
          const Correspondence& correspondence, const AlignOptions& options)
      : recording_(recording), items_(items), options_(options) {
    std::unordered_map<std::string, std::uint32_t> numbers;
    for (const NodeItem& item : items) {
      const auto [found, fresh] =
          numbers.emplace(model.node(item.node).op_type(), static_cast<std::uint32_t>(numbers.size()));
      operators_.push_back(found->second);
      if (fresh) operator_names_.emplace_back(found->first);
    }
    for (const std::string& word : recording.words) {
      const Habit habit = correspondence.habit(word);
      skips_.push_back(std::clamp(habit.skips, 0.001f, 0.999f));
      stays_.push_back(std::clamp(habit.stays, 0.001f, 0.95f));
      std::vector<float> chances(numbers.size(), least);
      for (const auto& [op, chance] : habit.becomes)
        if (const auto found = numbers.find(op); found != numbers.end())
          chances[found->second] = std::max(chance, least);
      for (std::size_t op = 0; op < operator_names_.size(); ++op)
        if (!correspondence.knows_operator(operator_names_[op]) && sound_alike(word, operator_names_[op]))
          chances[op] = called_alike;
      becomes_.push_back(std::move(chances));
    }
    find_parameters();
  }

  /// Whether the step's operation was ever seen to become the item's operator.
  bool usual(std::uint32_t item, std::uint32_t step) const {
    return becomes_[recording_.steps[step].word][operators_[item]] > least;
  }
  float skips(std::uint32_t step) const { return skips_[recording_.steps[step].word]; }
  float stays(std::uint32_t step) const { return stays_[recording_.steps[step].word]; }
  const std::string& operator_name(std::uint32_t item) const { return operator_names_[operators_[item]]; }

  /// The chances that `item` comes from each step of [first, past), into `out`.
  void row(std::uint32_t item, std::uint32_t first, std::uint32_t past, std::vector<float>& out) const {
    out.resize(past - first);
    const NodeItem& node = items_[item];
    const std::uint32_t op = operators_[item];
    const float plain = node.parameters.empty() ? 1.0f : no_parameter_there;
    const float reading = node.parameters.empty() ? parameter_unread : other_parameter;
    const bool flow = !flow_.empty() && !node.made_of.empty();
    for (std::uint32_t step = first; step < past; ++step) {
      float weight = becomes_[recording_.steps[step].word][op] * (reads_[step] ? reading : plain);
      if (node.shape != 0 && shapes_[step] != 0)
        weight *= node.shape == shapes_[step] ? same_shape : other_shape;
      if (flow && has_inputs_[step]) weight *= flows_not;
      out[step - first] = weight;
    }
    for (const std::uint32_t parameter : node.parameters)
      for (const std::uint32_t step : readers_[parameter])
        if (step >= first && step < past) out[step - first] *= same_parameter / other_parameter;
    if (flow)
      for (const std::uint32_t step : flow_[item])
        if (step >= first && step < past && has_inputs_[step]) out[step - first] *= flows / flows_not;
    // Steps come in the order of the file, so an anchor bounds all that lies before and after it.
    if (!lowest_.empty())
      for (std::uint32_t step = first; step < past; ++step)
        if (step < lowest_[item] || step > highest_[item]) out[step - first] = 0;
    if (options_.allowed)
      for (std::uint32_t step = first; step < past; ++step)
        if (!options_.allowed(step, item)) out[step - first] *= 1e-9f;
  }

  /// After a first round: which steps each item's inputs lead to.
  void use_flow(const Alignment& alignment) {
    std::vector<std::vector<std::uint32_t>> after(recording_.steps.size());
    for (std::uint32_t step = 0; step < recording_.steps.size(); ++step)
      for (const std::uint32_t maker : recording_.makers(step))
        if (maker != onnx::none && after[maker].size() < hub) after[maker].push_back(step);
    flow_.assign(items_.size(), {});
    for (std::uint32_t item = 0; item < items_.size(); ++item) {
      std::vector<std::uint32_t>& leads = flow_[item];
      for (const std::uint32_t maker : items_[item].made_of) {
        const auto& claims = alignment.claims[maker];
        if (claims.empty() || claims.front().chance < 0.5f) continue;
        leads.push_back(claims.front().step);
        leads.insert(leads.end(), after[claims.front().step].begin(), after[claims.front().step].end());
      }
      std::sort(leads.begin(), leads.end());
      leads.erase(std::unique(leads.begin(), leads.end()), leads.end());
    }
  }

  /// Anchors in the order of the items and of the steps.
  void hold_to(const std::vector<Anchor>& chain) {
    lowest_.assign(items_.size(), 0);
    highest_.assign(items_.size(), static_cast<std::uint32_t>(recording_.steps.size()));
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const std::uint32_t next =
          i + 1 < chain.size() ? chain[i + 1].item : static_cast<std::uint32_t>(items_.size());
      const std::uint32_t before = i == 0 ? 0 : chain[i - 1].item + 1;
      std::fill(lowest_.begin() + chain[i].item, lowest_.begin() + next, chain[i].step);
      std::fill(highest_.begin() + before, highest_.begin() + chain[i].item + 1, chain[i].step);
    }
  }

  const std::vector<std::vector<std::uint32_t>>& readers() const { return readers_; }

 private:
  // Steps that only prepare parameters (a transposed weight) hand them on to whoever reads the result; their
  // own nodes are folded away. What is larger or smaller than a parameter does not have its content.
  void find_parameters() {
    std::vector<std::vector<std::uint32_t>> held(recording_.values.size());
    std::vector<std::int64_t> sizes(recording_.parameters.size(), -1);
    for (std::size_t value = 0; value < held.size(); ++value)
      if (const std::uint32_t parameter = recording_.values[value].parameter; parameter != 0xffffffff) {
        held[value] = {parameter};
        sizes[parameter] = size_of(recording_.values[value]);
      }
    readers_.resize(recording_.parameters.size());
    reads_.resize(recording_.steps.size());
    shapes_.resize(recording_.steps.size());
    has_inputs_.resize(recording_.steps.size());
    for (std::uint32_t step = 0; step < recording_.steps.size(); ++step) {
      if (recording_.steps[step].kind != capture::RecordedStep::Kind::operation) continue;
      std::vector<std::uint32_t> read;
      bool prepares = !recording_.inputs(step).empty();
      const auto makers = recording_.makers(step);
      has_inputs_[step] =
          std::any_of(makers.begin(), makers.end(), [](auto maker) { return maker != onnx::none; });
      for (const std::uint32_t value : recording_.inputs(step)) {
        prepares &= !held[value].empty();
        read.insert(read.end(), held[value].begin(), held[value].end());
      }
      std::sort(read.begin(), read.end());
      read.erase(std::unique(read.begin(), read.end()), read.end());
      if (prepares && read.size() <= hub)
        for (const std::uint32_t value : recording_.outputs(step))
          for (const std::uint32_t parameter : read)
            if (const std::int64_t size = size_of(recording_.values[value]);
                size < 0 || sizes[parameter] < 0 || size == sizes[parameter])
              held[value].push_back(parameter);
      reads_[step] = !read.empty();
      for (const std::uint32_t parameter : read) readers_[parameter].push_back(step);
      if (const auto made = recording_.outputs(step); !made.empty())
        shapes_[step] = shape_hash(recording_.values[made.front()]);
    }
  }

  static std::int64_t size_of(const capture::RecordedValue& value) {
    if (!value.has_shape) return -1;
    std::int64_t size = 1;
    for (const std::int64_t dim : value.shape) size = dim < 0 ? -1 : size * dim;
    return size;
  }

  static std::uint64_t shape_hash(const capture::RecordedValue& value) {
    return value.has_shape ? hash_of_shape(value.shape) : 0;
  }

  const Recording& recording_;
  const std::vector<NodeItem>& items_;
  const AlignOptions& options_;
  std::vector<std::uint32_t> operators_;
  std::vector<std::string> operator_names_;
  std::vector<float> skips_, stays_;                 // by word
  std::vector<std::vector<float>> becomes_;          // by word and operator
  std::vector<std::vector<std::uint32_t>> readers_;  // by parameter: steps
  std::vector<bool> reads_, has_inputs_;             // by step
  std::vector<std::uint64_t> shapes_;                // by step
  std::vector<std::vector<std::uint32_t>> flow_;     // by item: steps that its inputs lead to
  std::vector<std::uint32_t> lowest_, highest_;      // by item: steps it can be of
};

// A rectangle of the two sequences, weighed as one. Row r holds what is true after r of its items.
class Stretch {
 public:
  Stretch(const Weights& weights, std::uint32_t first_item, std::uint32_t past_item, std::uint32_t first_step,
          std::uint32_t past_step)
      : weights_(weights),
        first_item_(first_item),
        items_(past_item - first_item),
        first_step_(first_step),
        steps_(past_step - first_step) {
    // A stretch without anchors may be too large for all pairs: then only those near the diagonal are
    // weighed.
    const std::size_t all = std::size_t{items_ + 1} * (steps_ + 1);
    width_ = all <= most_cells ? steps_ : static_cast<std::uint32_t>(most_cells / (items_ + 1) + 256);
    width_ = std::min(width_, steps_);
    for (std::uint32_t step = 0; step < steps_; ++step) {
      skips_.push_back(weights.skips(first_step + step));
      stays_.push_back(weights.stays(first_step + step));
    }
  }

  /// Adds claims of the stretch's items; gives the logarithm of its likelihood.
  double run(std::vector<std::vector<Claim>>& claims, const Recording& recording, Habits* habits) {
    const double likelihood = forward();
    backward(claims, recording, habits);
    return likelihood;
  }

 private:
  std::uint32_t begin(std::uint32_t row) const {  // the first step whose pairs with this row are kept
    if (width_ >= steps_) return 0;
    const std::uint64_t middle = std::uint64_t{row} * steps_ / (items_ + 1);
    const std::uint64_t from = middle > width_ / 2 ? middle - width_ / 2 : 0;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(from, steps_ - width_));
  }
  std::size_t at(std::uint32_t row, std::uint32_t step) const {  // boundaries: one more than steps
    return std::size_t{row} * (width_ + 1) + (step - begin(row));
  }
  bool kept(std::uint32_t row, std::uint32_t step) const {
    return step >= begin(row) && step <= begin(row) + width_;
  }

  // Nothing that is possible becomes impossible because numbers are too small to write down: what looked
  // hopeless may be what all that follows asks for.
  static float possible(float chance) {
    constexpr float smallest = 1e-18f;
    return chance > 0 ? std::max(chance, smallest) : 0;
  }

  // Scales chances so that the largest is 1; gives what it was.
  static float scale(std::span<float> chances) {
    float largest = 0;
    for (const float chance : chances) largest = std::max(largest, chance);
    if (largest <= 0) return 1;
    for (float& chance : chances) chance = possible(chance / largest);
    return largest;
  }

  double forward() {
    between_.assign(std::size_t{items_ + 1} * (width_ + 1), 0);
    inside_.assign(between_.size(), 0);
    emits_.resize(items_);
    double likelihood = 0;
    between_[at(0, 0)] = 1;
    for (std::uint32_t row = 0;; ++row) {
      const std::uint32_t from = begin(row), to = from + width_;
      likelihood += std::log(scale(std::span(inside_).subspan(at(row, from), width_ + 1)));
      for (std::uint32_t step = from; step < to; ++step) {
        const std::size_t here = at(row, step);
        between_[here + 1] = possible(between_[here] * skips_[step] + inside_[here] * (1 - stays_[step]));
      }
      if (row == items_) break;
      weights_.row(first_item_ + row, first_step_ + from, first_step_ + to, emits_[row]);
      for (std::uint32_t step = from; step < to; ++step)
        if (kept(row + 1, step) && step < begin(row + 1) + width_)
          inside_[at(row + 1, step)] =
              (between_[at(row, step)] * (1 - skips_[step]) + inside_[at(row, step)] * stays_[step]) *
              emits_[row][step - from];
    }
    return likelihood + std::log(std::max(between_[at(items_, begin(items_) + width_)], 1e-30f));
  }

  void backward(std::vector<std::vector<Claim>>& claims, const Recording& recording, Habits* habits) {
    std::vector<float> between(width_ + 1), inside(width_ + 1), next_inside;
    std::uint32_t next_from = 0;
    for (std::uint32_t row = items_ + 1; row-- > 0;) {
      const std::uint32_t from = begin(row), to = from + width_;
      // What follows from here on, from the last step to the first.
      std::vector<float> ahead(width_, 0);  // the next item is this step's
      if (row < items_)
        for (std::uint32_t step = from; step < to; ++step)
          if (step >= next_from && step < next_from + width_)
            ahead[step - from] = emits_[row][step - from] * next_inside[step - next_from];
      if (row < items_) scale(ahead);
      between[width_] = row == items_ && to == steps_ ? 1.0f : 0.0f;
      for (std::uint32_t step = to; step-- > from;) {
        const std::uint32_t i = step - from;
        inside[i] = possible(stays_[step] * ahead[i] + (1 - stays_[step]) * between[i + 1]);
        between[i] = possible(skips_[step] * between[i + 1] + (1 - skips_[step]) * ahead[i]);
      }
      if (row > 0) claim(row, from, inside, claims[first_item_ + row - 1], recording, habits);
      next_inside.assign(inside.begin(), inside.end());
      next_from = from;
    }
  }

  // The item before this row's boundary: how likely it is each step's.
  void claim(std::uint32_t row, std::uint32_t from, const std::vector<float>& inside,
             std::vector<Claim>& claims, const Recording& recording, Habits* habits) {
    double total = 0;
    for (std::uint32_t i = 0; i < width_; ++i) total += double{inside_[at(row, from + i)]} * inside[i];
    if (total <= 0) return;
    const std::uint32_t before = begin(row - 1);
    for (std::uint32_t i = 0; i < width_; ++i) {
      const double chance = double{inside_[at(row, from + i)]} * inside[i] / total;
      if (chance < 0.001) continue;
      const std::uint32_t step = from + i;
      claims.push_back({first_step_ + step, static_cast<float>(chance),
                        weights_.usual(first_item_ + row - 1, first_step_ + step)});
      if (habits == nullptr || step < before || step > before + width_) continue;
      const float fresh = between_[at(row - 1, step)] * (1 - skips_[step]);
      const float going_on = inside_[at(row - 1, step)] * stays_[step];
      auto& sum = habits->sums[recording.words[recording.steps[first_step_ + step].word]];
      sum.nodes += chance;
      if (fresh + going_on > 0) sum.began += chance * fresh / (fresh + going_on);
      sum.became[weights_.operator_name(first_item_ + row - 1)] += chance;
    }
    std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) {
      return a.chance != b.chance ? a.chance > b.chance : a.step < b.step;
    });
  }

  const Weights& weights_;
  std::uint32_t first_item_, items_, first_step_, steps_, width_ = 0;
  std::vector<float> skips_, stays_;
  std::vector<float> between_, inside_;    // chances up to here: between two steps, inside one
  std::vector<std::vector<float>> emits_;  // by row: chances of its next item
};

Alignment weigh(Weights& weights, const Recording& recording, const std::vector<NodeItem>& items,
                Habits* habits) {
  Alignment alignment;
  alignment.claims.resize(items.size());
  const auto all_items = static_cast<std::uint32_t>(items.size());
  const auto all_steps = static_cast<std::uint32_t>(recording.steps.size());
  std::uint32_t item = 0, step = 0;
  const auto stretch = [&](std::uint32_t past_item, std::uint32_t past_step) {
    if (past_item - item <= most_items)
      alignment.likelihood +=
          Stretch(weights, item, past_item, step, past_step).run(alignment.claims, recording, habits);
    item = past_item;
    step = past_step;
  };
  // A cut right after an anchor: its item and its step are the last of their stretch.
  constexpr std::size_t enough = most_cells / 4;
  alignment.anchors = anchors_of(items, weights.readers());
  const std::vector<Anchor> chain = in_step(alignment.anchors);
  if (!chain.empty())
    alignment.order = static_cast<float>(chain.size()) / static_cast<float>(alignment.anchors.size());
  constexpr float in_order = 0.9f;
  if (alignment.order >= in_order) weights.hold_to(chain);
  for (const Anchor& anchor : chain)
    if (anchor.item >= item && anchor.step >= step &&
        std::size_t{anchor.item - item} * (anchor.step - step) > enough)
      stretch(anchor.item, anchor.step);
  stretch(all_items, all_steps);
  return alignment;
}

}  // namespace

std::uint64_t hash_of_shape(const std::vector<std::int64_t>& shape) {
  std::uint64_t hash = 0x9e3779b97f4a7c15 + shape.size();
  for (const std::int64_t size : shape) {
    if (size < 0) return 0;
    hash = (hash ^ static_cast<std::uint64_t>(size)) * 0x100000001b3;
  }
  return hash == 0 ? 1 : hash;
}

Alignment align(const Recording& recording, const onnx::Model& model, const std::vector<NodeItem>& items,
                const Correspondence& correspondence, const AlignOptions& options) {
  Weights weights(recording, model, items, correspondence, options);
  Alignment alignment = weigh(weights, recording, items, options.use_flow ? nullptr : options.habits);
  if (options.use_flow) {
    weights.use_flow(alignment);
    alignment = weigh(weights, recording, items, options.habits);
  }
  if (options.habits != nullptr)
    for (const capture::RecordedStep& step : recording.steps)
      options.habits->sums[recording.words[step.word]].steps += 1;
  return alignment;
}

}  // namespace thence::match
