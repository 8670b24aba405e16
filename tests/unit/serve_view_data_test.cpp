// The answers to the questions of the page.
#include "serve/view_data.h"

#include "serve/report.h"
#include "serve_parts.h"

namespace thence::test {
namespace {

using Answering = Serving;

TEST_F(Answering, BundlesTheEdgesBetweenClosedBoxes) {
  const serve::ViewData data(*map);
  const std::string root = answer(data, "open", {{"id", "m0"}});
  // Items: Cast, enc, head, then the input and the output of the model. Two tensors go from enc to head.
  EXPECT_TRUE(
      contains(root, R"("edges":[[0,1,1,""],[1,2,2,""],[2,4,1,""],[3,0,1,""]],"inputs":[],"outputs":[])"))
      << root;
}

TEST_F(Answering, ShowsWhatEntersAndLeavesABox) {
  const serve::ViewData data(*map);
  const std::string layer = answer(data, "open", {{"id", box("enc.layer.0")}});
  EXPECT_TRUE(contains(layer, R"("edges":[[0,1,1,""]],"inputs":[[0,1]],"outputs":[[1,1]])")) << layer;
}

TEST_F(Answering, SumsLevelsAndNodes) {
  const serve::ViewData data(*map);
  const std::string root = answer(data, "open", {{"id", "m0"}});
  EXPECT_TRUE(contains(root, R"("path":"enc","submodules":1,"nodes":4)")) << root;
}

TEST_F(Answering, NamesTheFileWithoutItsFolder) {
  const serve::ViewData data(*map);
  EXPECT_TRUE(contains(answer(data, "model"), R"("file":"model.onnx")"));
}

TEST_F(Answering, SearchesNamesOperatorsTensorsAndModules) {
  const serve::ViewData data(*map);
  EXPECT_TRUE(contains(answer(data, "search", {{"text", "RELU"}}), R"({"total":2,)"));
  EXPECT_TRUE(contains(answer(data, "search", {{"text", "layer.1"}}), R"({"total":2,)"));
  EXPECT_TRUE(
      contains(answer(data, "search", {{"text", "no such"}}), R"({"total":0,"nodes":[],"ranges":[]})"));
  EXPECT_TRUE(contains(answer(data, "where", {{"text", "op_type = 'MatMul'"}}), R"({"total":2,)"));
  EXPECT_TRUE(contains(answer(data, "where", {{"text", "op_type = 'MatMul' and module ~ 'head*'"}}),
                       R"({"total":0,)"));
  EXPECT_EQ(answer(data, "where", {{"text", "op_type ="}}).front(), 'Q');
}

TEST_F(Answering, FollowsTheDataFlow) {
  const serve::ViewData data(*map);
  EXPECT_TRUE(contains(answer(data, "flow", {{"id", "n2"}, {"direction", "upstream"}}), R"({"total":3,)"));
  EXPECT_TRUE(contains(answer(data, "flow", {{"id", "n2"}, {"direction", "downstream"}}), R"({"total":4,)"));
}

TEST_F(Answering, ExplainsANode) {
  const serve::ViewData data(*map);
  const std::string node = answer(data, "node", {{"id", "n1"}});
  for (const char* part : {R"("op_type":"MatMul")", R"("rule":)", R"("evidence":[{)", R"("boxes":["m0",)"})
    EXPECT_TRUE(contains(node, part)) << part;
}

TEST_F(Answering, RefusesWhatDoesNotExist) {
  const serve::ViewData data(*map);
  EXPECT_EQ(answer(data, "secret"), "V001");
  EXPECT_EQ(answer(data, "open"), "V001");
  EXPECT_EQ(answer(data, "open", {{"id", "m99"}}), "V001");
  EXPECT_EQ(answer(data, "node", {{"id", "n99"}}), "V001");
  EXPECT_EQ(answer(data, "node", {{"id", "m0"}}), "V001");
  EXPECT_EQ(answer(data, "locate", {{"id", "x"}}), "V001");
  EXPECT_EQ(answer(data, "children", {{"id", "c0:0-1"}}), "V001");
  EXPECT_EQ(answer(data, "flow", {{"id", ""}}), "V001");
}

TEST_F(Answering, CutsAReportAtADepth) {
  const serve::ViewModels data(*map, {});
  const serve::ReportData all = serve::collect_report(data, {}),
                          cut = serve::collect_report(data, {.depth = 2});
  EXPECT_FALSE(all.is_cut);
  EXPECT_TRUE(cut.is_cut);
  EXPECT_EQ(cut.depth, 2);
  EXPECT_TRUE(contains(all.json, R"("n1")"));
  EXPECT_FALSE(contains(cut.json, R"("id":"n1")"));
  EXPECT_TRUE(contains(cut.json, R"("id":"n0")"));
}

TEST(AnsweringFlat, CutsALargeReport) {
  const std::string bytes = flat_model(30'000);
  const Result<semantics::Map> map = pipeline::map_bytes(bytes, "model.onnx", {});
  const serve::ViewModels data(*map, {});
  const serve::ReportData report = serve::collect_report(data, {});
  EXPECT_TRUE(report.is_cut);
  EXPECT_GT(report.depth, 1);
}

}  // namespace
}  // namespace thence::test
