// One test at least for every rule of decide(), and for what the rules leave to the next one.
#include <gtest/gtest.h>

#include <vector>

#include "evidence_parts.h"
#include "resolve/resolve.h"

namespace thence::resolve {
namespace {

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

constexpr SourceSet every_source = {
    Source::tags,        Source::trace_module_map, Source::dynamo_metadata, Source::onnx_scope_parsing,
    Source::value_names, Source::function,         Source::execution_trace, Source::fx_graph,
    Source::parameter,   Source::neighbours};

constexpr Strength certain = {.statement = Statement::alignment};
constexpr Strength uncertain = {.statement = Statement::alignment, .certainty = Certainty::low};
constexpr Strength shape_certain = {.statement = Statement::alignment, .is_shape_or_constant = true};
constexpr Strength unanimous = {.statement = Statement::alignment, .is_reordered = true};
constexpr Strength disputed = {
    .statement = Statement::alignment, .certainty = Certainty::most, .is_reordered = true};
constexpr Strength shape_unanimous = {
    .statement = Statement::alignment, .is_reordered = true, .is_shape_or_constant = true};
constexpr Strength relabelled = {.statement = Statement::alignment, .is_relabelled = true};
constexpr Strength plain_name, one_of_several = {.has_rivals = true};
constexpr Strength rewritten = {.reading = evidence::NameReading::rewritten};
constexpr Strength reads = {.statement = Statement::parameter};
constexpr Strength same_node = {.statement = Statement::proof};
constexpr Strength contributes = {.statement = Statement::proof, .is_secondary = true};

// A model of one node, and the modules a, a.inner, b and c.
class Decide : public testing::Test {
 protected:
  static ModelWithHierarchy net_of(bool recorded) {
    test::Capture capture = capture_of({"a", "a.inner", "b", "c"});
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

using Paths = std::vector<std::string>;

Verdict without_evidence(const ModelWithHierarchy& net, SourceSet sources = every_source) {
  return decide(net.hierarchy, sources, 0, {});
}

TEST(DecideWithoutEvidence, OutsideCaptureIfAScopeNamesNoModuleOfTheCapture) {
  const ModelWithHierarchy net(test::model(graph({node("Relu", {"x"}, {"y"}, "/other/Relu")})),
                               capture_of({"a"}));
  const Verdict verdict = without_evidence(net);
  EXPECT_EQ(verdict.attribution.rule, DecisionRule::outside_capture);
  EXPECT_EQ(verdict.attribution.reason, Reason::not_in_capture);
  EXPECT_EQ(without_evidence(net, {Source::parameter}).attribution.rule, DecisionRule::no_evidence);
}

TEST(DecideWithoutEvidence, OutsideCaptureIfAStackNamesNoModuleOfTheCapture) {
  const ModelWithHierarchy net(
      test::model(graph({test::with_stack(node("Relu", {"x"}, {"y"}), "['', 'other', 'relu']")})),
      capture_of({"a"}));
  EXPECT_EQ(without_evidence(net).attribution.rule, DecisionRule::outside_capture);
  EXPECT_EQ(without_evidence(net, {Source::onnx_scope_parsing}).attribution.rule, DecisionRule::no_evidence);
}

TEST(DecideWithoutEvidence, ModuleLimitIfTheTreeIsFull) {
  test::Capture capture;
  capture.tree.set_memory_limit(1);
  capture.tree.add("a.module.that.does.not.fit");
  ASSERT_TRUE(capture.tree.is_full());
  const ModelWithHierarchy net(test::model(graph({node("Relu", {"x"}, {"y"})})), std::move(capture));
  const Verdict verdict = without_evidence(net);
  EXPECT_EQ(verdict.attribution.rule, DecisionRule::module_limit);
  EXPECT_EQ(verdict.attribution.reason, Reason::past_limits);
}

TEST(DecideWithoutEvidence, UnresolvedStackIfAListIsSlicedFromItsEnd) {
  const ModelWithHierarchy net(test::model(graph(
      {test::with_stack(node("Relu", {"x"}, {"y"}), "['', 'layers.slice(-2, None, None).0', 'relu']")})));
  const Verdict verdict = without_evidence(net);
  EXPECT_EQ(verdict.attribution.rule, DecisionRule::unresolved_stack);
  EXPECT_EQ(verdict.attribution.reason, Reason::ambiguous);
}

TEST(DecideWithoutEvidence, NoEvidenceOtherwise) {
  const ModelWithHierarchy net(test::model(graph({node("Relu", {"x"}, {"y"})})));
  const Verdict verdict = without_evidence(net);
  EXPECT_EQ(verdict.attribution.rule, DecisionRule::no_evidence);
  EXPECT_EQ(verdict.attribution.reason, Reason::no_evidence);
}

TEST_F(Decide, AncestorAnswerKeepsAllModulesInOrder) {
  const Verdict verdict =
      decided({names(Source::transferred, "b", same_node), names(Source::transferred, "a", contributes)});
  expect(verdict, DecisionRule::ancestor_answer, "b");
  EXPECT_EQ(modules_of(verdict), (Paths{"b", "a"}));
  EXPECT_EQ(basis_of(verdict), "transferred/same_node/alone");
  EXPECT_TRUE(decided({names(Source::transferred, "b", same_node)}).modules.empty());
}

TEST_F(Decide, AncestorAnswerNeedsOneCandidate) {
  expect(decided({names(Source::transferred, "a", one_of_several),
                  names(Source::transferred, "b", one_of_several)}),
         DecisionRule::several_candidates, "unknown");
}

TEST_F(Decide, RecordingsConflictIfBothAreCertain) {
  const Verdict verdict =
      decided({names(Source::execution_trace, "a", certain), names(Source::fx_graph, "b", certain)});
  expect(verdict, DecisionRule::recordings_conflict, "unknown");
  EXPECT_EQ(modules_of(verdict), (Paths{"a", "b"}));
  expect(decided({names(Source::execution_trace, "a", unanimous), names(Source::fx_graph, "b", unanimous)}),
         DecisionRule::recordings_conflict, "unknown");
  expect(decided({names(Source::execution_trace, "a", uncertain), names(Source::fx_graph, "b", uncertain)}),
         DecisionRule::recordings_conflict, "unknown");
  expect(decided({names(Source::execution_trace, "a", shape_certain), names(Source::fx_graph, "b", certain)}),
         DecisionRule::recordings_conflict, "unknown");
}

TEST_F(Decide, RecordingsDoNotConflictIfOneOutweighsTheOther) {
  expect(decided({names(Source::execution_trace, "a", certain), names(Source::fx_graph, "b", uncertain)}),
         DecisionRule::strongest_source, "a");
  expect(decided(
             {names(Source::execution_trace, "a", shape_unanimous), names(Source::fx_graph, "b", unanimous)}),
         DecisionRule::strongest_source, "a");
  expect(decided({names(Source::execution_trace, "a", unanimous), names(Source::fx_graph, "b", disputed)}),
         DecisionRule::strongest_source, "a");
  expect(decided({names(Source::execution_trace, "a", certain), names(Source::fx_graph, "a", certain)}),
         DecisionRule::strongest_source, "a");
  // Metadata outranks both, whatever they name.
  expect(decided({names(Source::dynamo_metadata, "c"), names(Source::execution_trace, "a", certain),
                  names(Source::fx_graph, "b", certain)}),
         DecisionRule::strongest_source, "c");
}

TEST_F(Decide, ACallOfAFunctionIsNamedAfterAModuleInside) {
  expect(decided({names(Source::onnx_scope_parsing, "a.inner"), names(Source::function, "a")}),
         DecisionRule::called_module, "a");
  expect(decided({names(Source::onnx_scope_parsing, "b"), names(Source::function, "a")}),
         DecisionRule::strongest_source, "b");
  expect(decided({names(Source::onnx_scope_parsing, "a"), names(Source::function, "a.inner")}),
         DecisionRule::strongest_source, "a");
}

// The trace has one branch, and may have been aligned with the other one.
TEST_F(Decide, InBranchesTheGraphOverridesTheTrace) {
  constexpr Strength in_branch = {.statement = Statement::alignment, .is_in_branch = true};
  constexpr Strength uncertain_in_branch = {.statement = Statement::alignment,
                                            .certainty = Certainty::low,
                                            .is_in_body = true,
                                            .is_in_branch = true};
  for (const Strength& strength : {in_branch, uncertain_in_branch}) {
    expect(decided({names(Source::execution_trace, "a", in_branch), names(Source::fx_graph, "b", strength)}),
           DecisionRule::graph_of_branches, "b");
    expect(decided({names(Source::execution_trace, "a", in_branch), names(Source::fx_graph, "a", strength)}),
           DecisionRule::strongest_source, "a");
    expect(decided({names(Source::fx_graph, "a", strength)}), DecisionRule::strongest_source, "a");
  }
  expect(decided({names(Source::dynamo_metadata, "c"), names(Source::execution_trace, "a", in_branch),
                  names(Source::fx_graph, "b", in_branch)}),
         DecisionRule::strongest_source, "c");
}

TEST_F(Decide, UncertainGraphNeedsTheTraceThatIsThere) {
  expect(decided({names(Source::fx_graph, "a", uncertain)}), DecisionRule::uncertain_graph, "unknown");
  expect(decided({names(Source::fx_graph, "a", disputed)}), DecisionRule::uncertain_graph, "unknown");
  expect(decided({names(Source::fx_graph, "a", certain)}), DecisionRule::strongest_source, "a");
  expect(decided({names(Source::fx_graph, "a", uncertain), names(Source::parameter, "a", reads)}),
         DecisionRule::strongest_source, "a");
  const Evidence alone = names(Source::fx_graph, "a", uncertain);
  const std::vector<Evidence> all{alone};
  EXPECT_EQ(decide(net_.hierarchy, {Source::fx_graph}, 0, all).attribution.rule,
            DecisionRule::strongest_source);
  EXPECT_EQ(decide(net_of(false).hierarchy, every_source, 0, all).attribution.rule,
            DecisionRule::strongest_source);
}

TEST_F(Decide, RelabelledAloneIsUnknown) {
  expect(decided({names(Source::fx_graph, "a", relabelled)}), DecisionRule::relabelled_alone, "unknown");
  expect(decided({names(Source::fx_graph, "a", relabelled), names(Source::parameter, "b", reads)}),
         DecisionRule::relabelled_alone, "unknown");
  expect(decided({names(Source::fx_graph, "a", relabelled), names(Source::parameter, "a", reads)}),
         DecisionRule::strongest_source, "a");
}

TEST_F(Decide, SeveralCandidatesAreListedOnce) {
  const Verdict verdict = decided({names(Source::onnx_scope_parsing, "b", one_of_several),
                                   names(Source::onnx_scope_parsing, "a", one_of_several),
                                   names(Source::onnx_scope_parsing, "b", one_of_several)});
  expect(verdict, DecisionRule::several_candidates, "unknown");
  EXPECT_EQ(verdict.attribution.reason, Reason::ambiguous);
  EXPECT_EQ(modules_of(verdict), (Paths{"b", "a"}));
}

TEST_F(Decide, ARecordingPicksOneOfSeveralCandidates) {
  const Evidence a = names(Source::onnx_scope_parsing, "a", one_of_several),
                 b = names(Source::onnx_scope_parsing, "b", one_of_several);
  const Verdict verdict = decided({a, b, names(Source::execution_trace, "b", certain)});
  expect(verdict, DecisionRule::recorded_candidate, "b");
  EXPECT_EQ(verdict.attribution.source, Source::execution_trace);
  expect(decided({a, b, names(Source::fx_graph, "a", certain)}), DecisionRule::recorded_candidate, "a");
}

TEST_F(Decide, ARecordingThatNamesNoCandidateOrSeveralPicksNone) {
  const Evidence a = names(Source::onnx_scope_parsing, "a", one_of_several),
                 b = names(Source::onnx_scope_parsing, "b", one_of_several);
  expect(decided({a, b, names(Source::execution_trace, "c", certain)}), DecisionRule::several_candidates,
         "unknown");
  expect(decided({a, b, names(Source::execution_trace, "a", certain), names(Source::fx_graph, "b", certain)}),
         DecisionRule::several_candidates, "unknown");
}

TEST_F(Decide, ParametersOfSeveralModulesAreSeveralCandidates) {
  expect(decided({names(Source::parameter, "a", reads), names(Source::parameter, "b", reads)}),
         DecisionRule::several_candidates, "unknown");
}

TEST_F(Decide, FusedOutputIsThePrimaryModule) {
  const Verdict verdict = decided({names(Source::onnx_scope_parsing, "a"), names(Source::value_names, "b")});
  expect(verdict, DecisionRule::fused_output, "b");
  EXPECT_EQ(modules_of(verdict), (Paths{"b", "a"}));
  EXPECT_EQ(verdict.attribution.source, Source::value_names);
  EXPECT_EQ(basis_of(verdict), "value_names/names_one/contradicted");
}

TEST_F(Decide, FusedOutputNeedsOneOtherModule) {
  expect(decided({names(Source::onnx_scope_parsing, "a"), names(Source::value_names, "a")}),
         DecisionRule::strongest_source, "a");
  expect(decided({names(Source::onnx_scope_parsing, "a"), names(Source::value_names, "b", one_of_several),
                  names(Source::value_names, "c", one_of_several)}),
         DecisionRule::strongest_source, "a");
  expect(decided({names(Source::dynamo_metadata, "a"), names(Source::value_names, "b")}),
         DecisionRule::strongest_source, "a");
}

TEST_F(Decide, FusedOutputComesBeforeTheParameterThatPicksACandidate) {
  const Verdict verdict = decided({names(Source::onnx_scope_parsing, "a", one_of_several),
                                   names(Source::onnx_scope_parsing, "b", one_of_several),
                                   names(Source::value_names, "c"), names(Source::parameter, "b", reads)});
  expect(verdict, DecisionRule::fused_output, "c");
  EXPECT_EQ(modules_of(verdict), (Paths{"c", "b"}));
}

TEST_F(Decide, RecordedModuleOverridesMetadataIfBothRecordingsAgree) {
  const Verdict verdict =
      decided({names(Source::dynamo_metadata, "a"), names(Source::execution_trace, "b", certain),
               names(Source::fx_graph, "b", certain)});
  expect(verdict, DecisionRule::recorded_module, "b");
  EXPECT_EQ(verdict.attribution.source, Source::execution_trace);
  EXPECT_TRUE(verdict.attribution.rests_on_alignment);
  EXPECT_TRUE(verdict.attribution.is_alignment_ordered);
  EXPECT_TRUE(verdict.attribution.has_more_than_parameters);
}

TEST_F(Decide, RecordedModuleOverridesMetadataIfItWasRelabelled) {
  expect(decided({names(Source::dynamo_metadata, "a"), names(Source::fx_graph, "b", relabelled)}),
         DecisionRule::recorded_module, "b");
}

TEST_F(Decide, MetadataThatTheTraceConfirmsIsNotOverridden) {
  expect(decided({names(Source::dynamo_metadata, "a"), names(Source::execution_trace, "a", certain),
                  names(Source::fx_graph, "b", relabelled)}),
         DecisionRule::strongest_source, "a");
}

TEST_F(Decide, RecordedModuleNeedsTwoCertainRecordings) {
  expect(decided({names(Source::dynamo_metadata, "a"), names(Source::execution_trace, "b", certain)}),
         DecisionRule::strongest_source, "a");
  expect(decided({names(Source::dynamo_metadata, "a"), names(Source::execution_trace, "b", certain),
                  names(Source::fx_graph, "b", uncertain)}),
         DecisionRule::strongest_source, "a");
  expect(decided({names(Source::dynamo_metadata, "a"), names(Source::execution_trace, "b", unanimous),
                  names(Source::fx_graph, "b", unanimous)}),
         DecisionRule::strongest_source, "a");
  expect(decided({names(Source::onnx_scope_parsing, "a"), names(Source::execution_trace, "b", certain),
                  names(Source::fx_graph, "b", certain)}),
         DecisionRule::strongest_source, "a");
}

TEST_F(Decide, GraphOverridesADisputedTrace) {
  const Verdict verdict =
      decided({names(Source::execution_trace, "a", disputed), names(Source::fx_graph, "b", unanimous)});
  expect(verdict, DecisionRule::graph_over_trace, "b");
  EXPECT_EQ(verdict.attribution.source, Source::fx_graph);
  EXPECT_FALSE(verdict.attribution.is_alignment_ordered);
  expect(decided({names(Source::execution_trace, "a", disputed), names(Source::fx_graph, "b", one_of_several),
                  names(Source::fx_graph, "c", one_of_several)}),
         DecisionRule::strongest_source, "a");
  expect(decided({names(Source::execution_trace, "a", disputed), names(Source::fx_graph, "a", unanimous)}),
         DecisionRule::strongest_source, "a");
}

TEST_F(Decide, WeightOfMergedNodesDecides) {
  const Verdict verdict =
      decided({names(Source::dynamo_metadata, "a", rewritten), names(Source::parameter, "b", reads)});
  expect(verdict, DecisionRule::weight_of_merged, "b");
  EXPECT_EQ(modules_of(verdict), (Paths{"b", "a"}));
  EXPECT_EQ(verdict.attribution.source, Source::parameter);
  EXPECT_EQ(basis_of(verdict), "dynamo_metadata/rewritten/contradicted");
}

TEST_F(Decide, WeightInsideTheNamedModuleDecidesNothing) {
  expect(
      decided({names(Source::dynamo_metadata, "a", rewritten), names(Source::parameter, "a.inner", reads)}),
      DecisionRule::strongest_source, "a");
  expect(decided({names(Source::dynamo_metadata, "a", rewritten)}), DecisionRule::strongest_source, "a");
  expect(decided({names(Source::dynamo_metadata, "a"), names(Source::parameter, "b", reads)}),
         DecisionRule::strongest_source, "a");
}

TEST_F(Decide, ParameterReadPicksACandidate) {
  const Verdict verdict =
      decided({names(Source::onnx_scope_parsing, "a", one_of_several),
               names(Source::onnx_scope_parsing, "b", one_of_several), names(Source::parameter, "b", reads)});
  expect(verdict, DecisionRule::parameter_read, "b");
  EXPECT_EQ(verdict.attribution.source, Source::onnx_scope_parsing);
  EXPECT_EQ(basis_of(verdict), "onnx_scope_parsing/names_several/confirmed");
}

TEST_F(Decide, StrongestSourceComesFirstInTheOrderOfPrecedence) {
  const Verdict verdict = decided({names(Source::tags, "a"), names(Source::onnx_scope_parsing, "b")});
  expect(verdict, DecisionRule::strongest_source, "a");
  EXPECT_EQ(basis_of(verdict), "tags/names_one/contradicted");
  EXPECT_TRUE(verdict.attribution.has_more_than_parameters);
  EXPECT_FALSE(decided({names(Source::parameter, "a", reads)}).attribution.has_more_than_parameters);
}

TEST_F(Decide, AgreementOfOtherSources) {
  EXPECT_EQ(basis_of(decided({names(Source::onnx_scope_parsing, "a")})),
            "onnx_scope_parsing/names_one/alone");
  EXPECT_EQ(basis_of(decided({names(Source::onnx_scope_parsing, "a"), names(Source::parameter, "a", reads)})),
            "onnx_scope_parsing/names_one/confirmed");
  EXPECT_EQ(
      basis_of(decided({names(Source::onnx_scope_parsing, "a"), names(Source::parameter, "a.inner", reads)})),
      "onnx_scope_parsing/names_one/alone");
  EXPECT_EQ(
      basis_of(decided({names(Source::onnx_scope_parsing, "a.inner"), names(Source::parameter, "a", reads)})),
      "onnx_scope_parsing/names_one/contradicted");
  EXPECT_EQ(basis_of(decided({names(Source::execution_trace, "a", unanimous)})),
            "execution_trace/reordered/unconfirmed");
  EXPECT_EQ(basis_of(decided({names(Source::execution_trace, "a", certain)})),
            "execution_trace/aligned/alone");
  EXPECT_EQ(basis_of(decided(
                {names(Source::execution_trace, "a", unanimous), names(Source::fx_graph, "a", disputed)})),
            "execution_trace/reordered/confirmed_by_disputed");
}

// The ancestor of a derived model was asked, and has no answer.
TEST_F(Decide, EvidenceBesideAnAncestorIsUnconfirmed) {
  const std::vector<evidence::Evidence> alone = {names(Source::onnx_scope_parsing, "a")};
  const SourceSet beside = {Source::transferred, Source::onnx_scope_parsing};
  EXPECT_EQ(basis_of(decide(net_.hierarchy, beside, 0, alone)), "onnx_scope_parsing/names_one/unconfirmed");
}

TEST(Rules, HaveDistinctNamesAndTexts) {
  std::vector<std::string_view> names, texts;
  for (std::size_t i = 0; i < decision_rule_count; ++i) {
    names.push_back(name_of(static_cast<DecisionRule>(i)));
    texts.push_back(text_of(static_cast<DecisionRule>(i)));
    EXPECT_FALSE(names.back().empty());
    EXPECT_FALSE(texts.back().empty());
  }
  for (auto* const words : {&names, &texts}) {
    std::sort(words->begin(), words->end());
    EXPECT_EQ(std::adjacent_find(words->begin(), words->end()), words->end());
  }
}

}  // namespace
}  // namespace thence::resolve
