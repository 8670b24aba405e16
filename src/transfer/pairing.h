// Pairing: which value of the ancestor each value of the descendant is.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transfer/neighbours.h"
#include "transfer/value_names.h"

namespace thence::transfer {

/// How a pair is proven.
enum class Proof : std::uint8_t {
  not_proven,
  input,       // an input of the graph
  name,        // its name survived, and operator and weights agree
  inputs,      // the same operation of the same values
  weight,      // the one operation that reads this weight
  outputs,     // what a paired operation reads in this place, made by the same operator
  region,      // all that lies between paired values was fused into one node
  alone,       // the one operation of these values of its kind; its weights were changed
  neighbours,  // the one operation that what is known around it leaves
};

struct Pairing {
  ValueNames names;
  std::vector<Root> partners;  // by root of the descendant: the ancestor's, or none
  std::vector<Proof> proofs;
  std::vector<bool> taken;  // by root of the ancestor: whether it is somebody's partner
  /// By root of the descendant: what it is as well, where operations that read several were paired.
  std::unordered_map<Root, std::vector<Root>> merged;
  std::vector<std::vector<StepId>> regions;  // [0] is empty
  std::vector<std::uint32_t> region_of;      // by root of the descendant: number of its region
  /// Roots of the descendant that are one operation of the ancestor taken apart, and their steps.
  std::vector<std::pair<Root, std::vector<StepId>>> splits;
  LeftOut left_out;                    // what a rewrite left out, because it did nothing
  std::vector<std::uint64_t> classes;  // by root of the ancestor: equal for equal expressions
  std::vector<Root> alike;             // by root of the ancestor: the next equal one, and round again
  Candidates candidates;               // where there is no partner
};

Pairing pair(const Net& ancestor, const Net& descendant);

}  // namespace thence::transfer
