// diff: how two models differ, module by module.
#pragma once

#include <string>
#include <vector>

#include "diff/diff_kind.h"
#include "diff/stat.h"
#include "semantics/map.h"

namespace thence::diff {

struct Difference {
  DiffKind kind = DiffKind::added;
  std::uint32_t module = 0;  // in Report::modules
  std::string moved_to;      // for `moved`: the module in B
  std::vector<onnx::NodeId> a, b;
  std::string value;   // the name of an input or output of the model; then there are no nodes
  std::string detail;  // what differs, in words
};

/// A module that ran in one of the models, and what is different in it.
struct ModuleRow {
  std::string path;
  bool known = true;  // false: nodes whose module is not known
  std::size_t nodes_a = 0, nodes_b = 0;
  Counts counts{};

  std::size_t differences() const {
    std::size_t sum = 0;
    for (const std::size_t each : counts) sum += each;
    return sum;
  }
};

struct Report {
  std::size_t nodes_a = 0, nodes_b = 0;  // without constants
  std::size_t same_nodes = 0;            // of B: nodes that A has as well, without a difference
  std::size_t same_modules = 0;          // known modules without a difference
  std::size_t unread_weights = 0;        // not compared, because their data cannot be read
  bool nothing_in_common = false;        // less than a tenth of what either model computes is in the other
  Counts counts{};
  std::vector<DiffKind> ignored;
  std::vector<ModuleRow> modules;
  std::vector<Difference> differences;  // by module, then by kind
  /// By node: nodes of A and B with the same number do the same work; onnx::none for constants.
  std::vector<std::uint32_t> group_of_a, group_of_b;
  std::vector<StatRow> stat;  // if it was requested; in the order of modules
  StatRow stat_total;

  bool same() const { return differences.empty(); }
};

/// Differences of the kinds in `ignored` are left out. With `stat`, the weights of both models are read
/// whole.
Report compare(const semantics::Map& a, const semantics::Map& b, const std::vector<DiffKind>& ignored = {},
               const StatOptions* stat = nullptr);

}  // namespace thence::diff
