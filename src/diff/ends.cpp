#include "diff/ends.h"

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "diff/declared.h"

namespace thence::diff {
namespace {

using onnx::none;
using onnx::ValueId;
using Names = std::vector<std::string_view>;

class Ends {
 public:
  Ends(Side& a, Side& b, const Wiring& wiring, const ReportEnd& report)
      : a_(a), b_(b), wiring_(wiring), report_(report), before_(a.model), after_(b.model) {}

  void run() {
    const onnx::Graph &theirs = a_.model.graphs()[0], &ours = b_.model.graphs()[0];
    compare("input", named(a_, theirs.inputs, false), named(b_, ours.inputs, false), [](auto, auto) {});
    const auto made_a = by_name(a_, theirs.outputs), made_b = by_name(b_, ours.outputs);
    compare("output", named(a_, theirs.outputs, true), named(b_, ours.outputs, true),
            [&](std::string_view name, std::string_view other) {
              if (is_another(made_a.at(name), made_b.at(other)))
                report_(Kind::rewired, name,
                        base::format("output {}: another value", base::printable(other)));
            });
    functions();
  }

 private:
  bool is_another(ValueId a, ValueId b) const {
    return wiring_.differ(a, b) || wiring_.hold_other_numbers(a, b);
  }

  static Names named(Side& side, const std::vector<ValueId>& values, bool constants) {
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
  void compare(const char* what, const Names& theirs, const Names& ours, Check check) {
    const auto lacking = [](const Names& names, const Names& others) {
      const std::unordered_set<std::string_view> known(others.begin(), others.end());
      Names found;
      for (const std::string_view name : names)
        if (!known.contains(name)) found.push_back(name);
      return found;
    };
    const auto report = [&](Kind kind, std::string_view name, const std::string& detail) {
      report_(kind, name, base::format("{} {}", what, detail));
    };
    const Names gone = lacking(theirs, ours), fresh = lacking(ours, theirs);
    std::unordered_map<std::string_view, std::string_view> now;
    if (gone.size() == fresh.size())
      for (std::size_t i = 0; i < gone.size(); ++i) now.emplace(gone[i], fresh[i]);
    const std::unordered_set<std::string_view> without(gone.begin(), gone.end());
    Names kept;
    for (const std::string_view name : theirs) {
      std::string_view other = name;
      if (without.contains(name)) {
        if (!now.contains(name)) {
          report(Kind::removed, name, base::printable(name));
          continue;
        }
        other = now.at(name);
        report(Kind::renamed, name, base::format("{} -> {}", base::printable(name), base::printable(other)));
      }
      kept.push_back(other);
      declared(what, name, other);
      check(name, other);
    }
    if (now.empty())
      for (const std::string_view name : fresh) report(Kind::added, name, base::printable(name));
    order(what, kept, ours);
  }

  void declared(const char* what, std::string_view name, std::string_view other) {
    const onnx::ValueInfoView* const was = before_.of(name);
    const onnx::ValueInfoView* const is = after_.of(other);
    if (was == nullptr || is == nullptr) return;
    const bool retyped = was->elem_type != is->elem_type;
    if (retyped || shapes_contradict(*was, *is))
      report_(retyped ? Kind::precision : Kind::shapes, name,
              base::format("{} {}: {} -> {}", what, base::printable(name), text_of(*was), text_of(*is)));
  }

  // Callers may pass inputs and outputs by position.
  void order(const char* what, const Names& before, const Names& after) {
    const std::unordered_set<std::string_view> both(before.begin(), before.end());
    std::size_t place = 0;
    for (const std::string_view name : after) {
      if (!both.contains(name)) continue;
      if (place < before.size() && before[place++] == name) continue;
      report_(Kind::rewired, name,
              base::format("{}s in another order, from {} on", what, base::printable(name)));
      return;
    }
  }

  void functions() {
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
        if (is_another(i < theirs.size() ? theirs[i] : none,
                       i < graph.outputs.size() ? graph.outputs[i] : none))
          report_(Kind::rewired, graph.name,
                  base::format("function {} output {}: another value", base::printable(graph.name), i));
    }
  }

  Side &a_, &b_;
  const Wiring& wiring_;
  const ReportEnd& report_;
  Declared before_, after_;
};

}  // namespace

void compare_ends(Side& a, Side& b, const Wiring& wiring, const ReportEnd& report) {
  Ends(a, b, wiring, report).run();
}

}  // namespace thence::diff
