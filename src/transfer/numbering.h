// Numbering: a number for every value of the ancestor, equal for equal expressions, and its steps by what
// they read.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "transfer/net.h"
#include "transfer/step_index.h"

namespace thence::transfer {

struct Numbering {
  explicit Numbering(const Net& ancestor);

  static constexpr std::size_t least_weight = 4;  // elements of a constant that may tell operations apart
  /// Of an operation and the codes of what it reads, which it may put in order.
  static std::uint64_t key_of(const Step& step, std::vector<std::uint64_t>& codes);
  static std::uint64_t weight_key(const Step& step, const Constant& weight);

  std::vector<std::uint64_t> classes;          // by root
  std::vector<Root> alike;                     // by root: the next one of its class, and round again
  std::unordered_set<std::uint64_t> contents;  // of constants
  StepIndex by_key;                            // by all that they read
  StepIndex by_partial;  // by what is no constant among it, or would not be if sizes were fixed
  StepIndex by_weight;   // by operator and one weight

 private:
  void add(const Net& net, StepId id);
  std::vector<std::uint64_t> codes_, variable_, data_;  // of the step at hand
};

}  // namespace thence::transfer
