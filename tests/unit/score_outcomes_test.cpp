#include "score/score.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "onnx_parts.h"
#include "pipeline/pipeline.h"

namespace thence::score {
namespace {

using test::graph;
using test::node;

double figure(const Score& score, std::string_view name) {
  for (const Figure& each : figures(score))
    if (each.name == name) return each.value;
  ADD_FAILURE() << "no figure " << name;
  return -1;
}

std::string truth_of(const std::vector<std::string>& modules) {
  std::string text =
      R"({"schema":"thence.truth/1","modules":[{"path":"","class":"pkg.Net"},{"path":"a","class":"pkg.A"},)"
      R"({"path":"b","class":"pkg.B"},{"path":"b.c","class":"pkg.C"}],"nodes":[)";
  for (std::size_t i = 0; i < modules.size(); ++i)
    text += (i > 0 ? "," : "") + (R"({"graph":"","index":)" + std::to_string(i)) + R"(,"module":)" +
            (modules[i] == "null" ? "null,\"reason\":\"no_scope\"" : "\"" + modules[i] + "\"") +
            (i > 0 ? R"(,"kind":"data"})" : "}");  // the first node's is not told
  return text + "]}";
}

Score scored(const test::Message& model, const std::vector<std::string>& modules) {
  const std::string bytes = model.bytes();
  const Result<semantics::Map> map = pipeline::map_bytes(bytes, "model", {});
  const Result<Truth> truth = read_truth(truth_of(modules), "truth");
  return *score(*map, *truth, "truth");
}

TEST(Score, CountsEveryKindOfAnswer) {
  const Score found = scored(
      test::model(graph({node("Relu", {"x"}, {"v1"}, "/a/Relu"), node("Relu", {"v1"}, {"v2"}, "/b/Relu"),
                         node("Relu", {"v2"}, {"v3"}, "/a/Relu_1")})),
      {"a", "b.c", "b"});
  EXPECT_EQ(found.counts[Outcome::exact], 1u);
  EXPECT_EQ(found.counts[Outcome::enclosing], 1u);
  EXPECT_EQ(found.counts[Outcome::wrong_branch], 1u);
  EXPECT_EQ(found.enclosing_steps, 1u);
  EXPECT_NEAR(figure(found, "exact"), 1.0 / 3, 1e-9);
  EXPECT_NEAR(figure(found, "wrong"), 2.0 / 3, 1e-9);
  ASSERT_EQ(found.by_kind.size(), 1u);
  EXPECT_EQ(found.by_kind.at("data").with_truth(), 2u);
  EXPECT_EQ(found.by_kind.at("data").wrong(), 2u);
}

Score scored_with(const test::Message& model, std::string_view rows) {
  const std::string bytes = model.bytes();
  const Result<semantics::Map> map = pipeline::map_bytes(bytes, "model", {});
  const Result<Truth> truth =
      read_truth(R"({"schema":"thence.truth/1","modules":[{"path":"","class":"N"},{"path":"a","class":"A"},)"
                 R"({"path":"b","class":"B"}],"nodes":[)" +
                     std::string(rows) + "]}",
                 "truth");
  return *score(*map, *truth, "truth");
}

TEST(Score, CountsCallsOfNodesWithTheTrueModule) {
  const Score found = scored_with(
      test::model(graph({node("Relu", {"x"}, {"v1"}, "/a/Relu"), node("Relu", {"v1"}, {"v2"}, "/a_1/Relu"),
                         node("Relu", {"v2"}, {"v3"}, "/a_3/Relu"), node("Relu", {"v3"}, {"v4"}, "/b/Relu"),
                         node("Relu", {"v4"}, {"v5"}, "/a_1/Relu_1")})),
      R"({"graph":"","index":0,"module":"a","call":0},{"graph":"","index":1,"module":"a","call":2},)"
      R"({"graph":"","index":2,"module":"a","call":3},{"graph":"","index":3,"module":"a","call":1},)"
      R"({"graph":"","index":4,"module":"a","call":0,"other_calls":[1]})");
  EXPECT_EQ(found.calls.right, 2u);
  EXPECT_EQ(found.calls.wrong, 1u);
  EXPECT_EQ(found.calls.unknown, 1u);  // the number 2 is missing before it
  EXPECT_NEAR(figure(found, "wrong_call"), 0.25, 1e-9);
}

TEST(Score, CountsMembersOfFusedNodes) {
  // The fused node has the name of its first part and the output of its last.
  const Score found = scored_with(test::model(graph({node("Gemm", {"x"}, {"/b/Relu_output_0"}, "/a/Gemm"),
                                                     node("Relu", {"/b/Relu_output_0"}, {"y"}, "/b/Relu")})),
                                  R"({"graph":"","index":0,"module":"b","modules":["b","a"]},)"
                                  R"({"graph":"","index":1,"module":"b","modules":["b","a"]})");
  EXPECT_EQ(found.members.nodes, 2u);
  EXPECT_EQ(found.members.complete, 1u);
  EXPECT_EQ(found.members.expected, 4u);
  EXPECT_EQ(found.members.missing, 1u);
  EXPECT_EQ(found.members.extra, 0u);
}

// A node of a function that two modules call has no primary module. It is right if it lists both, and no
// other.
TEST(Score, ListedModulesOfAFunctionAreExact) {
  test::Message call_a = node("F", {"x"}, {"v1"}, "/a/F"), call_b = node("F", {"v1"}, {"v2"}, "/b/c/F");
  for (test::Message* const call : {&call_a, &call_b}) call->text(onnx::NodeField::domain, "own");
  test::Message model = test::model(graph({call_a, call_b}));
  model.inner(onnx::ModelField::functions, test::function("F", {node("Relu", {"p"}, {"q"})}, {"p"}, {"q"})
                                               .text(onnx::FunctionField::domain, "own"));
  const auto exact = [&](std::string_view accepted) {
    const std::string bytes = model.bytes();
    const std::string text =
        R"({"schema":"thence.truth/1","modules":[{"path":"","class":"N"},{"path":"a","class":"A"},)"
        R"({"path":"b","class":"B"},{"path":"b.c","class":"C"}],"nodes":[{"graph":"","index":0,"module":"a"},)"
        R"({"graph":"","index":1,"module":"b.c"},{"graph":"function:own:F:","index":0,"module":"a","accept":)" +
        std::string(accepted) + "}]}";
    const Result<Truth> truth = read_truth(text, "truth");
    return score(*pipeline::map_bytes(bytes, "model", {}), *truth, "truth")->counts[Outcome::exact];
  };
  EXPECT_EQ(exact(R"(["b.c"])"), 3u);
  EXPECT_EQ(exact(R"(["b"])"), 2u);
  EXPECT_EQ(exact(R"([])"), 2u);
}

TEST(Score, ExpectsTheModuleOfConsumersForExporterNodes) {
  const Score found =
      scored(test::model(graph({node("Cast", {"x"}, {"v1"}), node("Relu", {"v1"}, {"v2"}, "/a/Relu")})),
             {"null", "a"});
  EXPECT_EQ(found.counts.with_truth(), 1u);
  EXPECT_EQ(found.exporter_nodes.nodes, 1u);
  EXPECT_EQ(found.exporter_nodes.answered, found.exporter_nodes.owner);
}

TEST(Score, CalibrationAndRankingWithoutAnswersArePerfect) {
  const Score found = scored(test::model(graph({node("Relu", {"x"}, {"v1"}, "/a/Relu")})), {"null"});
  EXPECT_EQ(figure(found, "calibration_error"), 0);
  EXPECT_EQ(figure(found, "ranking"), 1);
  EXPECT_EQ(figure(found, "exact"), 0);
}

TEST(Score, ATruthOfAnotherModelIsAnError) {
  const std::string bytes = test::model(graph({node("Relu", {"x"}, {"v1"}, "/a/Relu")})).bytes();
  const Result<semantics::Map> map = pipeline::map_bytes(bytes, "model", {});
  const Result<Truth> truth = read_truth(truth_of({"a", "b"}), "truth");
  const Result<Score> found = score(*map, *truth, "truth");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, "S004");
}

}  // namespace
}  // namespace thence::score
