#include "diff/diff.h"

#include <algorithm>
#include <unordered_map>

#include "base/format.h"
#include "base/text.h"
#include "dataflow/primitive_ops.h"
#include "diff/changes.h"
#include "diff/groups.h"
#include "diff/interface_comparison.h"
#include "diff/stat_builder.h"
#include "diff/thresholds.h"

namespace thence::diff {
namespace {

using onnx::NodeId;
using onnx::none;

class Comparison {
 public:
  Comparison(const semantics::Map& a, const semantics::Map& b, const std::vector<DiffKind>& ignored)
      : a_(a, operators_), weights_(a_.graph.constants()), b_(b, operators_, &weights_) {
    report_.ignored = ignored;
  }

  Report run(const StatOptions* stat) {
    Matching matching(a_, b_);
    Grouping grouping = group_nodes(a_, b_, matching);
    const InputComparison inputs(a_, b_, matching, grouping);
    list_modules(grouping.groups);
    compare_interfaces(a_, b_, inputs, [&](DiffKind kind, std::string_view name, const std::string& detail) {
      add_difference({kind, module_row(""), {}, {}, {}, std::string(name), detail});  // the root module's
    });
    report_.nothing_in_common = have_nothing_in_common(grouping);
    Changes changes(a_, b_, inputs);
    for (const Group& group : grouping.groups) {
      bool same = true;
      for (Change& change : changes.find(group))
        same &= !add_difference(
            {change.kind, module_of(group), {}, group.a, group.b, {}, std::move(change.detail)});
      same &= !report_if_moved(group);
      if (same) report_.same_nodes += group.b.size();
    }
    finish();
    if (stat != nullptr) count_weights(grouping, *stat);
    report_.group_of_a = std::move(grouping.of_a);
    report_.group_of_b = std::move(grouping.of_b);
    return std::move(report_);
  }

 private:
  std::uint32_t module_row(std::optional<std::string_view> path) {
    const auto [entry, is_new] = module_rows_.try_emplace(path ? "." + std::string(*path) : "",
                                                          static_cast<std::uint32_t>(module_rows_.size()));
    if (is_new)
      report_.modules.push_back({.path = std::string(path.value_or("")), .known = path.has_value()});
    return entry->second;
  }

  // The module of a group: in A if it is known, else in B, else that of the node it was inserted after.
  std::uint32_t module_of(const Group& group) {
    std::optional<std::string_view> path;
    if (!group.a.empty()) path = a_.module(group.a.front());
    if (!path && !group.b.empty()) path = b_.module(group.b.front());
    if (!path && group.anchor != none) path = a_.module(group.anchor);
    return module_row(path);
  }

  // Modules in the order of A's nodes, then those that only B has. A node of B counts where its group is.
  void list_modules(const std::vector<Group>& groups) {
    for (NodeId id = 0; id < a_.model.node_count(); ++id)
      if (!a_.is_constant(id)) ++report_.modules[module_row(a_.module(id))].nodes_a, ++report_.nodes_a;
    for (const Group& group : groups) {
      const std::uint32_t module = module_of(group);
      report_.modules[module].nodes_b += group.b.size();
      report_.nodes_b += group.b.size();
    }
  }

  // Two models may share the names of inputs and outputs, and nothing between.
  bool has_common_operator(const Group& group) const {
    const auto first = [&](const std::vector<NodeId>& nodes) {
      return std::span(nodes).first(std::min(nodes.size(), max_searched_nodes));
    };
    for (const NodeId a : first(group.a))
      for (const NodeId b : first(group.b))
        for (const dataflow::PrimitiveOp& one : dataflow::primitives_of(a_.model.node(a)))
          for (const dataflow::PrimitiveOp& other : dataflow::primitives_of(b_.model.node(b)))
            if (one.op == other.op) return true;
    return false;
  }

  // Views, constants and shapes do not count: any two models share them.
  bool have_nothing_in_common(const Grouping& grouping) const {
    const auto shares_little = [&](const Side& side, const std::vector<std::uint32_t>& of) {
      std::size_t all = 0, shared = 0;
      for (NodeId id = 0; id < of.size(); ++id) {
        if (of[id] == no_group || side.graph.is_view(id) || side.graph.is_shape_or_constant(id)) continue;
        const Group& group = grouping.groups[of[id]];
        ++all;
        shared += group.exact || has_common_operator(group);
      }
      return all > 0 && static_cast<double>(shared) < min_common_nodes * static_cast<double>(all);
    };
    return shares_little(a_, grouping.of_a) && shares_little(b_, grouping.of_b);
  }

  bool add_difference(Difference difference) {
    if (std::find(report_.ignored.begin(), report_.ignored.end(), difference.kind) != report_.ignored.end())
      return false;
    const auto kind = static_cast<std::size_t>(difference.kind);
    ++report_.counts[kind];
    ++report_.modules[difference.module].counts[kind];
    report_.differences.push_back(std::move(difference));
    return true;
  }

  // Whether some of a side's nodes count as nodes of a module.
  static bool has_node_in_module(const Side& side, const std::vector<NodeId>& nodes, std::string_view path) {
    for (const NodeId node : nodes)
      for (const auto module : side.map.modules_of(node))
        if (side.map.tree()[module].path == path) return true;
    return false;
  }

  // Whether evidence of the same kind names the modules of both nodes. A name and a parameter may well name
  // two: a shared parameter has one name.
  bool have_same_evidence(NodeId a, NodeId b) const {
    if (!b_.is_certain(b) || !a_.is_certain(a)) return false;
    const resolve::Attribution &before = a_.map.answer(a), &after = b_.map.answer(b);
    return before.source == after.source ||
           (before.has_more_than_parameters && after.has_more_than_parameters);
  }

  // A node moved only if both files name its module, and neither also counts it to the other's.
  bool report_if_moved(const Group& group) {
    if (group.a.empty() || group.b.empty()) return false;
    const NodeId theirs = group.a.front(), ours = group.b.front();
    if (a_.graph.op(theirs).name != b_.graph.op(ours).name || !have_same_evidence(theirs, ours)) return false;
    const std::string_view before = *a_.module(theirs), after = *b_.module(ours);
    if (has_node_in_module(a_, group.a, after) || has_node_in_module(b_, group.b, before)) return false;
    const auto shown = [](std::string_view path) { return path.empty() ? "(root)" : base::printable(path); };
    return add_difference({DiffKind::moved,
                           module_row(before),
                           std::string(after),
                           group.a,
                           group.b,
                           {},
                           base::format("{} -> {}", shown(before), shown(after))});
  }

  // Unread data that no group reports: an output of the model or of a body, or an attribute.
  void report_other_unread() {
    report_.unread_weights = std::max(a_.constants.unread(), b_.constants.unread());
    if (report_.unread_weights == 0 || report_.counts[static_cast<std::size_t>(DiffKind::not_compared)] > 0)
      return;
    add_difference({DiffKind::not_compared,
                    module_row(""),
                    {},
                    {},
                    {},
                    {},
                    base::format("the data of {} weights cannot be read", report_.unread_weights)});
  }

  void count_weights(const Grouping& grouping, const StatOptions& options) {
    WeightComparison weights(a_, b_);
    StatBuilder builder(weights, options);
    for (const Group& group : grouping.groups) builder.add_weights(report_.modules[module_of(group)], group);
    report_.stat = builder.finish(report_.modules);
    report_.stat_total = builder.total();
  }

  void finish() {
    report_other_unread();
    std::stable_sort(report_.differences.begin(), report_.differences.end(),
                     [](const Difference& one, const Difference& other) {
                       return one.module != other.module ? one.module < other.module : one.kind < other.kind;
                     });
    for (const ModuleRow& module : report_.modules)
      report_.same_modules += module.known && module.differences() == 0;
  }

  dataflow::OperatorIds operators_;
  Side a_;
  dataflow::WeightMatcher weights_;  // of A's weights
  Side b_;
  Report report_;
  std::unordered_map<std::string, std::uint32_t> module_rows_;  // by "." and path; "" for unknown
};

}  // namespace

Report compare(const semantics::Map& a, const semantics::Map& b, const std::vector<DiffKind>& ignored,
               const StatOptions* stat) {
  return Comparison(a, b, ignored).run(stat);
}

}  // namespace thence::diff
