// What other files add to a model: another model beside it, times, drift, and the numbers of its weights.
#include "serve/overlay.h"

#include <cmath>
#include <cstring>
#include <fstream>

#include "serve/report.h"
#include "serve/weight_statistics.h"
#include "serve_parts.h"

namespace thence::test {
namespace {

class Overlaying : public Serving {
 protected:
  // The same model without the Relu of the second layer.
  std::string shorter = model(graph({node("Cast", {"x"}, {"a"}, "/Cast"),
                                     node("MatMul", {"a"}, {"b"}, "/enc/layer.0/attn/MatMul"),
                                     node("Relu", {"b"}, {"c"}, "/enc/layer.0/act/Relu"),
                                     node("MatMul", {"c"}, {"d"}, "/enc/layer.1/attn/MatMul"),
                                     node("Add", {"d", "c"}, {"y"}, "/head/Add")},
                                    {"x"}, {"y"}))
                            .bytes();
  Result<semantics::Map> after = pipeline::map_bytes(shorter, "after.onnx", {});

  std::string file(std::string_view content) {
    const std::string path = testing::TempDir() + "overlay.json";
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  std::string code_of_times(std::string_view content) {
    const Result<serve::Times> times = serve::read_times(*map, file(content));
    return times ? "" : times.error().code;
  }
  std::string code_of_drifts(std::string_view content) {
    const Result<serve::Drifts> drifts = serve::read_drifts(*map, file(content));
    return drifts ? "" : drifts.error().code;
  }
};

TEST_F(Overlaying, FindsWhatCorresponds) {
  const Result<serve::Comparison> both = serve::Comparison::make(*map, *after, serve::Relation::diff);
  ASSERT_TRUE(both);
  using serve::Side;
  EXPECT_EQ(both->counterparts(Side::before, 3), (std::vector<onnx::NodeId>{3}));
  EXPECT_EQ(both->counterparts(Side::after, 4), (std::vector<onnx::NodeId>{5}));
  EXPECT_TRUE(both->counterparts(Side::before, 4).empty());
  EXPECT_TRUE(both->changes(Side::before, 4).test(static_cast<std::size_t>(diff::DiffKind::removed)));
  EXPECT_TRUE(both->changes(Side::after, 0).none());
  EXPECT_EQ(both->counterpart(Side::before, module("head")), after->tree().find("head"));
  EXPECT_EQ(both->counterpart(Side::before, module("enc.layer.1.act")), std::nullopt);
}

TEST_F(Overlaying, ShowsTwoModels) {
  const Result<serve::Comparison> both = serve::Comparison::make(*map, *after, serve::Relation::diff);
  ASSERT_TRUE(both);
  const serve::ViewModels models(*map, *after, {.comparison = &*both, .side = serve::Side::before});
  EXPECT_TRUE(contains(*models.answer("model", {}), R"("comparison":{"with":"diff","side":"before"})"));
  EXPECT_TRUE(contains(*models.answer("model", {{"side", "other"}}), R"("file":"after.onnx")"));
  EXPECT_TRUE(contains(*models.answer("open", {{"id", "m0"}}), R"("changes":{"removed":1)"));
  EXPECT_TRUE(contains(*models.answer("node", {{"id", "n4"}}), R"("differences":[{"kind":"removed")"));
  EXPECT_EQ(*models.answer("counterparts", {{"id", "n5"}}), R"({"ids":["n4"]})");
  EXPECT_EQ(*models.answer("counterparts", {{"id", "n4"}, {"side", "other"}}), R"({"ids":["n5"]})");
  EXPECT_EQ(*models.answer("counterparts", {{"id", "nonsense"}}), R"({"ids":[]})");
  const std::string report = serve::collect_report(models, {}).json;
  EXPECT_TRUE(contains(report, R"("other":{"model":{)"));
  EXPECT_TRUE(contains(report, R"("n5":["n4"])"));
}

TEST_F(Overlaying, RefusesAModelWithNothingInCommon) {
  const std::string other =
      model(graph({node("Sin", {"p"}, {"q"}), node("Cos", {"q"}, {"r"})}, {"p"}, {"r"})).bytes();
  const Result<semantics::Map> unrelated = pipeline::map_bytes(other, "other.onnx", {});
  const Result<serve::Comparison> both = serve::Comparison::make(*map, *unrelated, serve::Relation::diff);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().code, "V004");
  EXPECT_EQ(both.error().kind, ErrorKind::difference);
}

constexpr std::string_view times_text =
    R"({"schema":"thence.profile/1","runtime":"onnxruntime","runs":2,"averaged":false,"kernels":[
{"name":"/Cast","match":"name","nodes":["#0"],"time_us":4},
{"name":"gone","match":"not_in_model","nodes":[],"time_us":6}]})";

TEST_F(Overlaying, ReadsTimesPerRun) {
  const Result<serve::Times> times = serve::read_times(*map, file(times_text));
  ASSERT_TRUE(times);
  EXPECT_EQ(times->by_node[0], 2);
  EXPECT_EQ(times->without_node, 3);
  EXPECT_EQ(times->total, 5);
  const serve::ViewModels models(*map, {.times = *times});
  EXPECT_TRUE(contains(*models.answer("node", {{"id", "n0"}}), R"("time_us":2)"));
  EXPECT_TRUE(contains(*models.answer("model", {}), R"("total_us":5)"));
}

TEST_F(Overlaying, RefusesTimesOfAnotherModelOrDamagedOnes) {
  std::string other(times_text);
  other.replace(other.find("/Cast"), 5, "/Else");
  EXPECT_EQ(code_of_times(other), "K005");
  EXPECT_EQ(code_of_times(times_text.substr(0, 150)), "V005");
  EXPECT_EQ(code_of_times(R"({"schema":"thence.profile/1","runtime":"x","runs":1,"kernels":[{"name":1}]})"),
            "V005");
  EXPECT_EQ(code_of_times(R"({"schema":"thence.profile/1"})"), "V005");
  EXPECT_EQ(code_of_times("[]"), "K001");
}

constexpr std::string_view drift_text =
    R"({"schema":"thence.drift/1","reference":"folder/a.onnx","modules":[
{"path":"enc.layer.0","relative_error":0.25,"added":null,"over":true},
{"path":"enc.layer.1","relative_error":"inf","added":0.5,"over":true},
{"path":"head","relative_error":null,"added":null,"over":false}]})";

TEST_F(Overlaying, ReadsDriftByModule) {
  const Result<serve::Drifts> drifts = serve::read_drifts(*map, file(drift_text));
  ASSERT_TRUE(drifts);
  const serve::ViewModels models(*map, {.drifts = *drifts});
  const std::string layers = *models.answer("children", {{"id", box("enc.layer")}});
  EXPECT_TRUE(contains(layers, R"("drift":0.25,"drift_over":true)")) << layers;
  EXPECT_TRUE(contains(layers, R"("drift":"inf","drift_added":0.5)")) << layers;
  EXPECT_FALSE(
      contains(*models.answer("open", {{"id", "m0"}}), R"("drift")"));  // of head, nothing was compared
  EXPECT_TRUE(contains(*models.answer("open", {{"id", box("enc.layer")}}), R"("drift":"inf")"));  // the stack
}

TEST_F(Overlaying, RefusesDriftOfAnotherModelOrDamagedOne) {
  EXPECT_EQ(code_of_drifts("{"), "V005");
  EXPECT_EQ(code_of_drifts(R"({"schema":"thence.profile/1","modules":[]})"), "V005");
  EXPECT_EQ(code_of_drifts(R"({"schema":"thence.drift/1","reference":"a","modules":[{"path":"head"}]})"),
            "V005");
  EXPECT_EQ(code_of_drifts(R"({"schema":"thence.drift/1","reference":"a","modules":[]})"), "V004");
  EXPECT_EQ(code_of_drifts(R"({"schema":"thence.drift/1","reference":"a","modules":[
{"path":"none.such","relative_error":1,"added":1,"over":true}]})"),
            "V004");
}

std::string model_with_weight(const std::vector<float>& numbers) {
  std::string bytes(numbers.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  Message made = graph({node("Add", {"x", "w"}, {"y"})}, {"x"}, {"y"});
  made.inner(GraphField::initializer, tensor("w")
                                          .number(TensorField::dims, numbers.size())
                                          .number(TensorField::data_type, 1)
                                          .text(TensorField::raw_data, bytes));
  return model(made).bytes();
}

TEST(WeightStatistics, CountsZerosAndRange) {
  const std::string bytes = model_with_weight({0, 0, -1, 3, INFINITY});
  const Result<semantics::Map> map = pipeline::map_bytes(bytes, "model.onnx", {});
  const Result<std::string> text = serve::weight_statistics(map->model(), 0, 1);
  ASSERT_TRUE(text);
  for (const char* part :
       {R"("elements":5)", R"("zeros":2)", R"("not_finite":1)", R"("min":-1)", R"("max":3)", R"("mean":0.5)"})
    EXPECT_TRUE(contains(*text, part)) << part << *text;
  EXPECT_EQ(serve::weight_statistics(map->model(), 0, 0).error().code, "V007");
  EXPECT_EQ(serve::weight_statistics(map->model(), 0, 9).error().code, "V001");
}

}  // namespace
}  // namespace thence::test
