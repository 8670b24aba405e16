// The rules of decide() about recordings: an execution trace, and a graph of torch.export.
#include "decide_parts.h"

namespace thence::resolve {
namespace {

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

// The candidates are those that nothing else excludes, and a name may have lost the weight that shows its
// layer.
TEST_F(Decide, TwoRecordingsNameALayerThatIsNoCandidate) {
  const Evidence one = names(Source::onnx_scope_parsing, "layers.1", one_of_several),
                 two = names(Source::onnx_scope_parsing, "layers.2", one_of_several),
                 trace = names(Source::execution_trace, "layers.0", certain),
                 fx_graph = names(Source::fx_graph, "layers.0", certain);
  expect(decided({one, two, trace, fx_graph}), DecisionRule::recorded_candidate, "layers.0");
  expect(decided({one, two, trace}), DecisionRule::several_candidates, "unknown");
  expect(decided({one, names(Source::onnx_scope_parsing, "a", one_of_several), trace, fx_graph}),
         DecisionRule::several_candidates, "unknown");
}

TEST_F(Decide, AScopeThatLeavesTheLayerOpenIsDecidedByBothRecordings) {
  const Evidence scope = names(Source::onnx_scope_parsing, "layers.1", inferred_call),
                 trace = names(Source::execution_trace, "layers.0", certain),
                 fx_graph = names(Source::fx_graph, "layers.0", certain);
  expect(decided({scope, trace, fx_graph}), DecisionRule::recorded_layer, "layers.0");
  const Verdict doubted = decided({scope, trace});
  expect(doubted, DecisionRule::recorded_layer, "unknown");
  EXPECT_EQ(modules_of(doubted), (Paths{"layers.1", "layers.0"}));
}

TEST_F(Decide, AScopeThatNamesItsLayerIsNotOverruledByRecordings) {
  const Evidence trace = names(Source::execution_trace, "layers.0", certain),
                 fx_graph = names(Source::fx_graph, "layers.0", certain);
  expect(decided({names(Source::onnx_scope_parsing, "layers.1"), trace, fx_graph}),
         DecisionRule::strongest_source, "layers.1");
  expect(decided({names(Source::onnx_scope_parsing, "layers.0", inferred_call), trace}),
         DecisionRule::strongest_source, "layers.0");
  expect(decided({names(Source::onnx_scope_parsing, "a", inferred_call), trace}),
         DecisionRule::strongest_source, "a");
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

}  // namespace
}  // namespace thence::resolve
