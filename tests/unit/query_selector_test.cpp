// Selectors on a small map: alone, combined, and the errors if they match nothing.
#include "query/selector.h"

#include <gtest/gtest.h>

#include <cmath>

#include "onnx_parts.h"
#include "pipeline/pipeline.h"
#include "query/boundary.h"
#include "query/tool_lists.h"

namespace thence::test {
namespace {

using query::Selector;
using query::Selectors;

class Selecting : public testing::Test {
 protected:
  std::string bytes =
      model(graph({node("MatMul", {"x"}, {"a"}, "/enc/layer.0/attn/query/MatMul"),
                   node("Add", {"a"}, {"b"}, "/enc/layer.0/attn/query/Add"),
                   node("Softmax", {"b"}, {"c"}, "/enc/layer.0/attn/Softmax"),
                   node("MatMul", {"c"}, {"d"}, "/enc/layer.1/attn/query/MatMul"), node("Neg", {}, {"e"})}))
          .bytes();
  Result<semantics::Map> map = pipeline::map_bytes(bytes, "model.onnx", {});

  Result<std::vector<onnx::NodeId>> run(const Selectors& wanted) {
    const Result<Selector> selector = Selector::make(wanted);
    if (!selector) return selector.error();
    return selector->run(*map);
  }
  std::vector<onnx::NodeId> found(const Selectors& wanted) {
    const Result<std::vector<onnx::NodeId>> nodes = run(wanted);
    EXPECT_TRUE(nodes) << nodes.error().text;
    return nodes ? *nodes : std::vector<onnx::NodeId>();
  }
  std::string said(const Selectors& wanted) {
    const Result<std::vector<onnx::NodeId>> nodes = run(wanted);
    return nodes ? "found" : nodes.error().code + " " + nodes.error().text + " | " + nodes.error().hint;
  }
};

using Nodes = std::vector<onnx::NodeId>;

TEST_F(Selecting, BySingleSelector) {
  EXPECT_EQ(found({.modules = {"enc.layer.0.attn"}}), Nodes{2});
  EXPECT_EQ(found({.modules = {"enc.layer.*.attn.query"}}), (Nodes{0, 1, 3}));
  EXPECT_EQ(found({.under = {"enc.layer.0"}}), (Nodes{0, 1, 2}));
  EXPECT_EQ(found({.under = {"**.query"}}), (Nodes{0, 1, 3}));
  EXPECT_EQ(found({.under = {"(root)"}}), (Nodes{0, 1, 2, 3}));
  EXPECT_EQ(found({.ops = {"MatMul"}}), (Nodes{0, 3}));
  EXPECT_EQ(found({.ops = {"*a*M*"}}), (Nodes{0, 3}));
  EXPECT_EQ(found({.layers = {"1-"}}), Nodes{3});
  EXPECT_EQ(found({.layers = {"-1"}}), Nodes{3});
  EXPECT_EQ(found({.layers = {"-2"}}), (Nodes{0, 1, 2}));
  EXPECT_EQ(found({.where = "op_type != 'MatMul'"}), (Nodes{1, 2, 4}));
  EXPECT_EQ(found({.unknown = true}), Nodes{4});
  EXPECT_EQ(found({.sources = {"onnx_*"}}), (Nodes{0, 1, 2, 3}));
  EXPECT_EQ(found({}), (Nodes{0, 1, 2, 3, 4}));
}

TEST_F(Selecting, ByCombinedSelectors) {
  EXPECT_EQ(found({.under = {"enc.layer.0"}, .ops = {"MatMul", "Softmax"}}), (Nodes{0, 2}));
  EXPECT_EQ(found({.modules = {"enc.layer.0.attn", "enc.layer.1.**"}}), (Nodes{2, 3}));
  EXPECT_EQ(found({.ops = {"Neg"}, .unknown = true}), Nodes{4});
  EXPECT_EQ(found({.ops = {"MatMul"}, .where = "layer_id = -1"}), Nodes{3});
}

TEST_F(Selecting, NamesSelectorsWithoutMatch) {
  EXPECT_EQ(said({.modules = {"enc.layer.0.atn"}}),
            "Q002 no module matches --module 'enc.layer.0.atn' | the nearest: enc.layer.0.attn, enc.layer.0");
  EXPECT_EQ(
      said({.modules = {"enc.layer"}}),
      "Q002 module 'enc.layer' ran no node itself | --under 'enc.layer' selects the nodes of the modules "
      "inside it, too");
  EXPECT_EQ(said({.modules = {"enc.layer.0.attn", "nowhere.at.all"}}).substr(0, 56),
            "Q002 no module matches --module 'nowhere.at.all' | there");
  EXPECT_EQ(said({.ops = {"Gemm"}}).substr(0, 39), "Q002 no operator matches --op 'Gemm' | ");
  EXPECT_EQ(said({.ops = {"com.microsoft::MatMul"}}).substr(0, 56),
            "Q002 no operator matches --op 'com.microsoft::MatMul' | ");
  EXPECT_EQ(said({.roles = {"norm"}}).substr(0, 37), "Q002 no role matches --role 'norm' | ");
  EXPECT_EQ(said({.layers = {"7"}}), "Q002 no layer matches --layer '7' | layers are numbered from 0 to 1");
  EXPECT_EQ(said({.modules = {"enc.layer.0.attn"}, .ops = {"Neg"}}),
            "Q002 no node matches --module and --op together | remove one of them, or widen it");
  EXPECT_EQ(said({.where = "layer_id > 5"}), "Q002 no node matches --where | widen it");
}

TEST_F(Selecting, RejectsNamesThatDoNotExist) {
  EXPECT_EQ(said({.ops = {"MatMull"}}),
            "Q010 --op: the model has no operator 'MatMull' | the nearest: MatMul");
  EXPECT_EQ(said({.ops = {"LayerNormalisation"}}),
            "Q010 --op: the model has no operator 'LayerNormalisation' | the nearest: LayerNormalization, "
            "BatchNormalization, LpNormalization");
  EXPECT_EQ(said({.ops = {"com.microsft::MatMul"}}),
            "Q010 --op: the model has no domain 'com.microsft' | the nearest: com.microsoft");
  EXPECT_EQ(said({.roles = {"atention"}}).substr(0, 62),
            "Q010 --role: the model has no role 'atention' | the nearest: a");
  EXPECT_EQ(said({.components = {"qeury"}}).substr(0, 60),
            "Q010 --component: the model has no component 'qeury' | the n");
  EXPECT_EQ(said({.classes = {"Linear"}}),
            "Q010 --class: the model has no class 'Linear' | the file has no classes: give a capture with "
            "--capture");
  // A glob may match nothing.
  EXPECT_EQ(said({.ops = {"Matmul*"}}).substr(0, 4), "Q002");
  EXPECT_EQ(said({.roles = {"atten?ion*x"}}).substr(0, 4), "Q002");
}

TEST_F(Selecting, RejectsMalformedSelectors) {
  for (const Selectors& wanted :
       {Selectors{.layers = {"3-1"}}, Selectors{.ops = {""}}, Selectors{.sources = {"hearsay"}},
        Selectors{.modules = {std::string(2000, 'a')}}, Selectors{.min_confidence = std::nan("")}})
    EXPECT_EQ(said(wanted).substr(0, 4), "Q001");
  EXPECT_EQ(said({.where = "layer_id >"}).substr(0, 4), "Q009");
  EXPECT_EQ(said({.where = "layr = 1"}).substr(0, 4), "Q010");
}

TEST_F(Selecting, LimitsTheNumberOfSelectors) {
  EXPECT_EQ(said({.ops = std::vector<std::string>(100'000, "MatMul")}),
            "Q001 100000 selectors given, more than 10000 | use globs, such as --module 'encoder.**'");
}

TEST_F(Selecting, ListsForOtherTools) {
  const auto text = [&](const char* name, const Nodes& nodes) {
    const Result<query::ToolList> list = query::tool_list(name, map->model(), nodes, {});
    return list ? list->text : list.error().code;
  };
  EXPECT_EQ(text("nodes-to-exclude", {2, 4}), "[\n \"/enc/layer.0/attn/Softmax\"\n]\n");
  EXPECT_EQ(text("op-block-list", {0, 2, 3}), "[\n \"MatMul\",\n \"Softmax\"\n]\n");
  EXPECT_EQ(text("tensorrt-layers", {2, 4}), "/enc/layer.0/attn/Softmax:fp32,node_of_e:fp32\n");
  EXPECT_EQ(text("tensorrt-names", {2, 4}), "[\n \"/enc/layer.0/attn/Softmax\",\n \"node_of_e\"\n]\n");
  EXPECT_EQ(text("nodes-to-quantize", {2}), "[\n \"/enc/layer.0/attn/Softmax\"\n]\n");
  EXPECT_EQ(text("op-name-dict", {2}),
            "{\n \"/enc/layer\\\\.0/attn/Softmax\": {\"activation\": {\"dtype\": [\"fp32\"]}, \"weight\": "
            "{\"dtype\": [\"fp32\"]}}\n}\n");
  EXPECT_EQ(text("ignored-scope", {2}),
            "{\"names\": [\n \"/enc/layer.0/attn/Softmax\"\n], \"validate\": false}\n");
  EXPECT_EQ(text("aimet-quantizers", {0, 2}), "[\n \"a\",\n \"c\"\n]\n");
  EXPECT_EQ(text("op-name-dict", {4}), "Q002");
  EXPECT_EQ(text("extract-io", {1, 2}), "{\"input_names\": [\n \"a\"\n], \"output_names\": [\n \"c\"\n]}\n");
  EXPECT_EQ(text("nodes-to-exclude", {4}), "Q002");
  EXPECT_EQ(text("soup", {4}), "Q001");
}

}  // namespace
}  // namespace thence::test
