// Tally: the nodes, parameters, bytes and work of a module, with and without the modules inside it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "semantics/map.h"
#include "shapes/infer.h"
#include "weights/account.h"

namespace thence::output {

struct Tally {
  std::uint64_t own_nodes = 0, nodes = 0;
  std::uint64_t parameters = 0, buffers = 0, constants = 0;  // elements; each counts once, for its owner
  std::uint64_t bytes = 0;                                   // of all initializers
  std::uint64_t types = 0;                                   // likewise; one bit per ONNX type number
  shapes::Polynomial own_macs, macs;                         // as far as shapes are known
  std::uint64_t uncounted = 0;  // nodes with an unknown number of multiplications
  shapes::Polynomial elementwise;
  bool elementwise_known = true;
  double confidence = 0;                 // the sum over all nodes
  onnx::NodeId first_node = onnx::none;  // the first node of the module or of a module inside it

  void include(const Tally& inner);
  double mean_confidence() const { return nodes == 0 ? 0 : confidence / static_cast<double>(nodes); }
};

/// Nodes of one operator whose work is not counted.
struct Uncounted {
  std::string op;  // with its domain
  std::uint64_t nodes = 0;
  bool is_unknown_operator = false;  // otherwise its shapes are not known
};

struct Tallies {
  std::vector<Tally> modules;
  Tally unknown;  // nodes without a module
  Tally total;    // the root and the unknown nodes
  weights::Account account;
  std::vector<Uncounted> uncounted;  // by operator
};
Tallies tally(const semantics::Map& map, const shapes::InferredShapes& inferred);

/// "float32" or "float32,int64".
std::string type_names(std::uint64_t types);

/// A number for bars and for sorting, in which every named size counts as 1.
double plain_value(const shapes::Polynomial& polynomial);

}  // namespace thence::output
