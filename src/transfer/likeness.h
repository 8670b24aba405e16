// Likeness: weights that were quantised or rescaled, told by how their elements go together.
#pragma once

#include <cstdint>
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
    double factor = 1;  // of all elements alike
  };
  Found of(const Constant& changed);

 private:
  struct Sampled {
    std::uint64_t content;
    std::vector<double> straight, transposed;
  };
  const std::vector<Sampled>& of_size(std::uint64_t elements);

  const std::vector<Constant>& ancestor_;
  std::unordered_set<std::uint64_t> contents_;
  std::unordered_map<std::uint64_t, std::vector<Sampled>> by_size_;  // filled where it is asked for
};

}  // namespace thence::transfer
