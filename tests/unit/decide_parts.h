// The strengths of evidence, and a model of one node, for tests of decide().
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "evidence_parts.h"
#include "resolve/resolve.h"

namespace thence::resolve {

using evidence::Certainty;
using evidence::Evidence;
using evidence::Source;
using evidence::SourceSet;
using evidence::Statement;
using evidence::Strength;
using test::capture_of;
using test::graph;
using test::ModelWithHierarchy;
using test::node;

inline constexpr SourceSet every_source = {
    Source::tags,        Source::trace_module_map, Source::dynamo_metadata, Source::onnx_scope_parsing,
    Source::value_names, Source::function,         Source::execution_trace, Source::fx_graph,
    Source::parameter,   Source::neighbours};

inline constexpr Strength certain = {.statement = Statement::alignment};
inline constexpr Strength uncertain = {.statement = Statement::alignment, .certainty = Certainty::low};
inline constexpr Strength shape_certain = {.statement = Statement::alignment, .is_shape_or_constant = true};
inline constexpr Strength unanimous = {.statement = Statement::alignment, .is_reordered = true};
inline constexpr Strength disputed = {
    .statement = Statement::alignment, .certainty = Certainty::most, .is_reordered = true};
inline constexpr Strength shape_unanimous = {
    .statement = Statement::alignment, .is_reordered = true, .is_shape_or_constant = true};
inline constexpr Strength relabelled = {.statement = Statement::alignment, .is_relabelled = true};
inline constexpr Strength plain_name, one_of_several = {.has_rivals = true};
inline constexpr Strength inferred_call = {.reading = evidence::NameReading::inferred_call};
inline constexpr Strength rewritten = {.reading = evidence::NameReading::rewritten};
inline constexpr Strength reads = {.statement = Statement::parameter};
inline constexpr Strength same_node = {.statement = Statement::proof};
inline constexpr Strength contributes = {.statement = Statement::proof, .is_secondary = true};

using Paths = std::vector<std::string>;

// A model of one node, and the modules a, a.inner, b, c and three layers.
class Decide : public testing::Test {
 protected:
  static ModelWithHierarchy net_of(bool recorded) {
    test::Capture capture = capture_of({"a", "a.inner", "b", "c", "layers.0", "layers.1", "layers.2"});
    if (recorded) {
      capture.trace.emplace();
      capture.fx.emplace();
    }
    return ModelWithHierarchy(test::model(graph({node("Relu", {"x"}, {"y"})})), std::move(capture));
  }

  Evidence names(Source source, std::string_view path, Strength strength = plain_name) const {
    return {.module = net_.module(path), .source = source, .strength = strength};
  }
  Verdict decided(const std::vector<Evidence>& all) const {
    return decide(net_.hierarchy, every_source, 0, all);
  }
  std::string path_of(const Verdict& verdict) const {
    const ModuleId module = verdict.attribution.module;
    return module == no_module ? "unknown" : std::string(net_.hierarchy.tree()[module].path);
  }
  std::vector<std::string> modules_of(const Verdict& verdict) const {
    std::vector<std::string> paths;
    for (const ModuleId module : verdict.modules) paths.emplace_back(net_.hierarchy.tree()[module].path);
    return paths;
  }
  std::string basis_of(const Verdict& verdict) const {
    return ConfidenceTable::shipped().name_of(verdict.attribution.basis);
  }
  void expect(const Verdict& verdict, DecisionRule rule, std::string_view path) const {
    EXPECT_EQ(name_of(verdict.attribution.rule), name_of(rule));
    EXPECT_EQ(path_of(verdict), path);
    EXPECT_EQ(verdict.attribution.known(), verdict.attribution.reason == Reason::none);
  }

  const ModelWithHierarchy net_ = net_of(true);
};

}  // namespace thence::resolve
