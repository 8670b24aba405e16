#include "transfer/likeness.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "transfer/mix.h"

namespace thence::transfer {
namespace {

constexpr std::size_t samples = 256;
constexpr std::size_t most_candidates = 4096;
// How much two weights go together: the one, and any other. Short ones are a little like many.
constexpr double alike = 0.9, next_best = 0.6, the_same = 0.995;

template <class Element>
double element(std::string_view data, std::uint64_t index) {
  Element value;
  std::memcpy(&value, data.data() + index * sizeof value, sizeof value);
  return static_cast<double>(value);
}

double element_of(const Constant& constant, std::uint64_t index) {
  switch (constant.type) {
    case 1: return element<float>(constant.data, index);
    case 2: return element<std::uint8_t>(constant.data, index);
    case 3: return element<std::int8_t>(constant.data, index);
    case 4: return element<std::uint16_t>(constant.data, index);
    case 5: return element<std::int16_t>(constant.data, index);
    case 6: return element<std::int32_t>(constant.data, index);
    case 11: return element<double>(constant.data, index);
    default: return 0;
  }
}

bool is_readable(const Constant& constant) {
  constexpr std::int32_t types[] = {1, 2, 3, 4, 5, 6, 11};
  return constant.may_be_weight() &&
         std::find(std::begin(types), std::end(types), constant.type) != std::end(types);
}

// Some elements of a weight, in an order that depends on their places only; of a matrix also as its transpose
// would have them.
std::vector<double> sampled(const Constant& constant, bool transposed) {
  std::vector<double> values;
  const std::uint64_t rows = constant.rows, columns = constant.columns();
  for (std::uint64_t i = 0; i < samples; ++i) {
    std::uint64_t index = mixed(i, constant.elements) % constant.elements;
    if (transposed) index = index % rows * columns + index / rows;
    values.push_back(element_of(constant, index / columns * constant.stride + index % columns));
  }
  return values;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) mean_a += a[i], mean_b += b[i];
  mean_a /= static_cast<double>(a.size());
  mean_b /= static_cast<double>(b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? std::abs(ab) / std::sqrt(aa * bb) : 0;
}

// By what all of `b` were multiplied to make `a`; 1 when they were changed in other ways.
double factor_of(const std::vector<double>& a, const std::vector<double>& b) {
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) aa += a[i] * a[i], bb += b[i] * b[i], ab += a[i] * b[i];
  constexpr double all_alike = 0.999999;
  return aa > 0 && bb > 0 && ab * ab >= all_alike * aa * bb ? ab / bb : 1;
}

}  // namespace

Likeness::Likeness(const std::vector<Constant>& ancestor) : ancestor_(ancestor) {
  for (const Constant& constant : ancestor)
    if (constant.content != 0) contents_.insert(constant.content);
}

const std::vector<Likeness::Sampled>& Likeness::of_size(std::uint64_t elements) {
  const auto [entry, fresh] = by_size_.try_emplace(elements);
  std::vector<Sampled>& held = entry->second;
  if (fresh)
    for (const Constant& theirs : ancestor_)
      if (theirs.elements == elements && theirs.is_float && is_readable(theirs) &&
          held.size() < most_candidates && std::none_of(held.begin(), held.end(), [&](const Sampled& each) {
            return each.content == theirs.content;
          }))
        held.push_back({theirs.content, sampled(theirs, false), sampled(theirs, true)});
  return held;
}

Likeness::Found Likeness::of(const Constant& changed) {
  if (!is_readable(changed)) return {};
  const std::vector<Sampled>& candidates = of_size(changed.elements);
  const std::vector<double> values = candidates.empty() ? std::vector<double>() : sampled(changed, false);
  double best = 0, second = 0;
  const Sampled* found = nullptr;
  bool transposed = false;
  for (const Sampled& each : candidates) {
    const double straight = correlation(values, each.straight), turned = correlation(values, each.transposed);
    const double likeness = std::max(straight, turned);
    second = std::max(second, std::min(best, likeness));
    if (likeness > best) found = &each, transposed = turned > straight;
    best = std::max(best, likeness);
  }
  const bool one = (best >= alike && second <= next_best) || (best >= the_same && second <= alike);
  if (!one) return {};
  const bool is_quantised = !changed.is_float;
  return {found->content,
          is_quantised ? 1 : factor_of(values, transposed ? found->transposed : found->straight)};
}

}  // namespace thence::transfer
