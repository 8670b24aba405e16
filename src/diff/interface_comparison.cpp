#include "diff/interface_comparison.h"

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "diff/declared_types.h"

namespace thence::diff {
namespace {

using onnx::none;
using onnx::ValueId;
using Names = std::vector<std::string_view>;

class InterfaceComparison {
 public:
  InterfaceComparison(Side& a, Side& b, const InputComparison& inputs, const ReportInterface& report)
      : a_(a), b_(b), inputs_(inputs), report_(report), declared_a_(a.model), declared_b_(b.model) {}

  void run() {
    const onnx::Graph &theirs = a_.model.graphs()[0], &ours = b_.model.graphs()[0];
    compare_names("input", names_of(a_, theirs.inputs, false), names_of(b_, ours.inputs, false),
                  [](auto, auto) {});
    const auto outputs_a = by_name(a_, theirs.outputs), outputs_b = by_name(b_, ours.outputs);
    compare_names("output", names_of(a_, theirs.outputs, true), names_of(b_, ours.outputs, true),
                  [&](std::string_view name, std::string_view other) {
                    if (is_another_value(outputs_a.at(name), outputs_b.at(other)))
                      report_(DiffKind::rewired, name,
                              base::format("output {}: another value", base::printable(other)));
                  });
    compare_functions();
  }

 private:
  bool is_another_value(ValueId a, ValueId b) const {
    return inputs_.are_different(a, b) || inputs_.have_different_content(a, b);
  }

  static Names names_of(Side& side, const std::vector<ValueId>& values, bool constants) {
    Names names;
    for (const ValueId value : values)
      if (value != none && (constants || side.constants.of(value) == nullptr))
        names.push_back(side.model.value_name(value));
    return names;
  }
  static std::unordered_map<std::string_view, ValueId> by_name(const Side& side,
                                                               const std::vector<ValueId>& values) {
    std::unordered_map<std::string_view, ValueId> found;
    for (const ValueId value : values)
      if (value != none) found.emplace(side.model.value_name(value), value);
    return found;
  }

  // Pairs by name, and the remaining ones by position if both have equally many. Calls `check` with the names
  // of each pair.
  template <class Check>
  void compare_names(const char* what, const Names& theirs, const Names& ours, Check check) {
    const auto missing_from = [](const Names& names, const Names& others) {
      const std::unordered_set<std::string_view> known(others.begin(), others.end());
      Names found;
      for (const std::string_view name : names)
        if (!known.contains(name)) found.push_back(name);
      return found;
    };
    const auto report = [&](DiffKind kind, std::string_view name, const std::string& detail) {
      report_(kind, name, base::format("{} {}", what, detail));
    };
    const Names removed = missing_from(theirs, ours), added = missing_from(ours, theirs);
    std::unordered_map<std::string_view, std::string_view> new_names;
    if (removed.size() == added.size())
      for (std::size_t i = 0; i < removed.size(); ++i) new_names.emplace(removed[i], added[i]);
    const std::unordered_set<std::string_view> removed_names(removed.begin(), removed.end());
    Names kept;
    for (const std::string_view name : theirs) {
      std::string_view other = name;
      if (removed_names.contains(name)) {
        if (!new_names.contains(name)) {
          report(DiffKind::removed, name, base::printable(name));
          continue;
        }
        other = new_names.at(name);
        report(DiffKind::renamed, name,
               base::format("{} -> {}", base::printable(name), base::printable(other)));
      }
      kept.push_back(other);
      compare_declared(what, name, other);
      check(name, other);
    }
    if (new_names.empty())
      for (const std::string_view name : added) report(DiffKind::added, name, base::printable(name));
    compare_order(what, kept, ours);
  }

  void compare_declared(const char* what, std::string_view name, std::string_view other) {
    const onnx::ValueInfoView* const was = declared_a_.of(name);
    const onnx::ValueInfoView* const is = declared_b_.of(other);
    if (was == nullptr || is == nullptr) return;
    const bool retyped = was->elem_type != is->elem_type;
    if (retyped || shapes_contradict(*was, *is))
      report_(retyped ? DiffKind::precision : DiffKind::shapes, name,
              base::format("{} {}: {} -> {}", what, base::printable(name), text_of(*was), text_of(*is)));
  }

  // Callers may pass inputs and outputs by position.
  void compare_order(const char* what, const Names& before, const Names& after) {
    const std::unordered_set<std::string_view> both(before.begin(), before.end());
    std::size_t index = 0;
    for (const std::string_view name : after) {
      if (!both.contains(name)) continue;
      if (index < before.size() && before[index++] == name) continue;
      report_(DiffKind::rewired, name,
              base::format("{}s in another order, from {} on", what, base::printable(name)));
      return;
    }
  }

  void compare_functions() {
    std::map<std::tuple<std::string_view, std::string_view, std::string_view>, const onnx::Graph*> known;
    for (const onnx::Graph& graph : a_.model.graphs())
      if (graph.kind == onnx::Graph::Kind::function)
        known.emplace(std::tuple(graph.domain, graph.name, graph.overload), &graph);
    for (const onnx::Graph& graph : b_.model.graphs()) {
      if (graph.kind != onnx::Graph::Kind::function) continue;
      const auto same = known.find({graph.domain, graph.name, graph.overload});
      if (same == known.end()) continue;
      const std::vector<ValueId>& theirs = same->second->outputs;
      for (std::size_t i = 0; i < std::max(theirs.size(), graph.outputs.size()); ++i)
        if (is_another_value(i < theirs.size() ? theirs[i] : none,
                             i < graph.outputs.size() ? graph.outputs[i] : none))
          report_(DiffKind::rewired, graph.name,
                  base::format("function {} output {}: another value", base::printable(graph.name), i));
    }
  }

  Side &a_, &b_;
  const InputComparison& inputs_;
  const ReportInterface& report_;
  DeclaredTypes declared_a_, declared_b_;
};

}  // namespace

void compare_interfaces(Side& a, Side& b, const InputComparison& inputs, const ReportInterface& report) {
  InterfaceComparison(a, b, inputs, report).run();
}

}  // namespace thence::diff
