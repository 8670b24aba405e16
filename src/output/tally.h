// Tally: what a module amounts to, its own and with everything inside it: nodes, parameters, bytes and work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "semantics/map.h"
#include "shapes/infer.h"

namespace thence::output {

struct Tally {
  std::uint64_t own_nodes = 0, nodes = 0;
  std::uint64_t parameters = 0, bytes = 0;  // a shared tensor is its owner's alone
  std::uint64_t types = 0;                  // of the parameters, a bit for each of ONNX's numbers
  shapes::Polynomial own_macs, macs;        // as far as shapes are known
  std::uint64_t uncounted = 0;              // nodes whose multiplications could not be counted
  shapes::Polynomial elementwise;
  bool elementwise_known = true;
  double confidence = 0;                 // of all nodes, added up
  onnx::NodeId first_node = onnx::none;  // the first one that it or something inside it ran

  void include(const Tally& inner);
  double mean_confidence() const { return nodes == 0 ? 0 : confidence / static_cast<double>(nodes); }
};

struct Tallies {
  std::vector<Tally> modules;
  Tally unknown;  // what is no module's
  Tally total;    // the root and the unknown
};
Tallies tally(const semantics::Map& map, const shapes::Inferred& inferred);

/// "float32" or "float32,int64".
std::string type_names(std::uint64_t types);

/// For bars and for sorting: a number where every named size counts as 1.
double plain_value(const shapes::Polynomial& polynomial);

}  // namespace thence::output
