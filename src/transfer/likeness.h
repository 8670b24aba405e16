// Likeness: weights that were quantised or rescaled, told by how their elements go together.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "transfer/constant.h"

namespace thence::transfer {

/// The weights of an ancestor, to be asked for the one that another constant is a form of.
class Likeness {
 public:
  /// The constants outlive it.
  explicit Likeness(const std::vector<Constant>& ancestor);

  bool has(std::uint64_t content) const { return contents_.contains(content); }
  /// The one weight that a constant is a changed form of; content 0 when there is none, or several.
  struct Found {
    std::uint64_t content = 0;
    double factor = 1;      // of all elements alike
    bool rescaled = false;  // row by row or column by column, each by a number of its own
  };
  Found of(const Constant& changed);
  /// The same of so many elements that lie in no tensor as they are.
  Found of(std::uint64_t elements, const std::function<double(std::uint64_t)>& element_at);

 private:
  // Samples, as far as they tell one weight from another.
  struct Direction {
    Direction(const std::vector<double>& samples);
    double likeness(const Direction& other) const;
    std::vector<float> first, all;
  };
  // Some rows or columns of a matrix, each as its direction.
  struct Lines {
    std::uint64_t count = 0, length = 0;
    std::vector<float> directions;
    double likeness(const Lines& other) const;
  };
  struct Sampled {
    std::uint64_t content;
    const Constant* weight;
    Direction straight, transposed;
    Lines rows{}, columns{};  // filled where they are asked for
  };
  std::vector<Sampled>& of_size(std::uint64_t elements);
  Found nearest(std::uint64_t elements, const std::vector<double>& values);
  Found rescaled(const Constant& changed);
  static Lines lines_of(const Constant& weight, bool columns);

  const std::vector<Constant>& ancestor_;
  std::unordered_set<std::uint64_t> contents_;
  std::unordered_map<std::uint64_t, std::vector<Sampled>> by_size_;  // filled where it is asked for
  std::size_t work_left_ = 1u << 25;  // comparisons: of a model of experts there are many
};

}  // namespace thence::transfer
