// One test at least for every rule of decide(), and for what the rules leave to the next one. Those about
// recordings are in resolve_decide_recordings_test.cpp.
#include "decide_parts.h"

namespace thence::resolve {
namespace {

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

TEST_F(Decide, ACallOfAFunctionIsNamedAfterAModuleInside) {
  expect(decided({names(Source::onnx_scope_parsing, "a.inner"), names(Source::function, "a")}),
         DecisionRule::called_module, "a");
  expect(decided({names(Source::onnx_scope_parsing, "b"), names(Source::function, "a")}),
         DecisionRule::strongest_source, "b");
  expect(decided({names(Source::onnx_scope_parsing, "a"), names(Source::function, "a.inner")}),
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
