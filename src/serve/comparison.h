// Comparison: two models side by side. Which nodes and modules correspond, and what differs.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/result.h"
#include "diff/diff.h"
#include "semantics/map.h"

namespace thence::serve {

enum class Side : std::uint8_t { before, after };
inline Side other_side(Side side) { return side == Side::before ? Side::after : Side::before; }
/// Why two models are compared: one was made from the other, or the user wants to see the difference.
enum class Relation : std::uint8_t { ancestor, diff };
/// The kinds of difference of a node, by the number of diff::DiffKind.
using ChangeSet = std::bitset<diff::diff_kind_count>;

class Comparison {
 public:
  /// Both maps outlive the result. An error if the models have nothing in common.
  static Result<Comparison> make(const semantics::Map& before, const semantics::Map& after,
                                 Relation relation);

  Relation relation() const { return relation_; }
  ChangeSet changes(Side side, onnx::NodeId node) const { return sides_[at(side)].changes[node]; }
  /// The nodes of the other model that do the same work; at most `max_detail_rows`.
  std::vector<onnx::NodeId> counterparts(Side side, onnx::NodeId node) const;
  /// The module of the other model with the same path.
  std::optional<modules::ModuleId> counterpart(Side side, modules::ModuleId module) const;
  /// Writes the members "differences" and "counterparts" of a node.
  void write_node(Side side, onnx::NodeId node, base::JsonWriter& json) const;

 private:
  struct Compared {
    const semantics::Map* map = nullptr;
    std::vector<ChangeSet> changes = {};                                   // by node
    std::vector<std::uint32_t> group_of = {};                              // by node, as in diff::Report
    std::vector<std::pair<std::uint32_t, onnx::NodeId>> by_group = {};     // sorted
    std::vector<std::pair<onnx::NodeId, std::uint32_t>> differences = {};  // sorted: node, number
  };
  Comparison(const semantics::Map& before, const semantics::Map& after, diff::Report report,
             Relation relation);
  static std::size_t at(Side side) { return static_cast<std::size_t>(side); }
  void index_side(Compared& side, std::vector<onnx::NodeId> diff::Difference::*nodes) const;

  Compared sides_[2];
  diff::Report report_;
  Relation relation_;
};

}  // namespace thence::serve
