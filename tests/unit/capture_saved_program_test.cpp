// A saved program is read as a capture: modules, calls, parameters with their content, and the graph.
#include "capture/saved_program.h"

#include <gtest/gtest.h>

#include "onnx/content_hash.h"
#include "zip.h"

namespace thence::capture {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

std::string stack(const std::string& path, const std::string& class_name, const std::string& call = "") {
  return R"("metadata":{"nn_module_stack":"L__self__,,pkg.Net;L__self___)" + path + call + "," + path + "," +
         class_name + R"("})";
}

std::string tensor(const std::string& name) { return R"({"as_tensor":{"name":")" + name + R"("}})"; }

std::string parameter(const std::string& input, const std::string& path) {
  return R"({"parameter":{"arg":{"name":")" + input + R"("},"parameter_name":")" + path + R"("}})";
}

// x -> fc -> split into a and b -> fc again -> a body with one operation.
std::string program() {
  return R"({"schema_version":{"major":8,"minor":1},"graph_module":{"module_call_graph":[{"fqn":""},{"fqn":"held"},)"
         R"({"fqn":"fc"},{"fqn":"head"},{"fqn":"fc@1"}],"signature":{"input_specs":[)" +
         parameter("p_fc", "fc.weight") + "," + parameter("p_head", "head.weight") +
         R"(,{"buffer":{"arg":{"name":"b_mask"},"buffer_name":"mask"}},{"user_input":{"arg":{}}}]},)"
         R"("graph":{"inputs":[)" +
         tensor("p_fc") + "," + tensor("p_head") + "," + tensor("b_mask") + "," + tensor("x") +
         R"(],"tensor_values":{"linear":{"sizes":[{"as_int":2},{"as_expr":{"expr_str":"s0"}}]}},"nodes":[)"
         R"({"name":"linear","target":"torch.ops.aten.linear.default","inputs":[{"arg":)" +
         tensor("x") + R"(},{"arg":)" + tensor("p_fc") + R"(}],"outputs":[)" + tensor("linear") + "]," +
         stack("fc", "torch.nn.modules.linear.Linear") +
         R"(},{"name":"split","target":"torch.ops.aten.split.Tensor","inputs":[{"arg":)" + tensor("linear") +
         R"(}],"outputs":[{"as_tensors":[{"name":"a"},{"name":"split_unused_1"},{"name":"b"}]}],"metadata":{}},)"
         R"({"target":"torch.ops.aten.linear.default","inputs":[{"arg":{"as_tensors":[{"name":"b"},{"name":"a"}]}},)"
         R"({"arg":)" +
         tensor("p_head") + R"(}],"outputs":[)" + tensor("again") + "]," +
         stack("fc", "torch.nn.modules.linear.Linear", "@1") +
         R"(},{"name":"cond","target":"torch.ops.higher_order.cond","inputs":[{"arg":{"as_graph":{"name":"body","graph":)"
         R"({"inputs":[)" +
         tensor("b_mask") +
         R"(],"nodes":[{"name":"linear","target":"torch.ops.aten.relu.default","inputs":[{"arg":)" +
         tensor("b_mask") + R"(}],"outputs":[)" + tensor("linear") + R"(]}]}}}}],"outputs":[)" +
         tensor("cond") + "]}]}}}";
}

std::string weight(const std::string& path, const std::string& file, const std::string& strides) {
  return '"' + path + R"(":{"path_name":")" + file +
         R"(","use_pickle":false,"tensor_meta":{"dtype":7,"layout":7,"storage_offset":{"as_int":0},)"
         R"("sizes":[{"as_int":2},{"as_int":1}],"strides":)" +
         strides + "}}";
}

Entries archive(const std::string& text) {
  const std::string strides = R"([{"as_int":1},{"as_int":9}])";
  return {{"any/data/weights/weight_0", "aaaabbbb"},
          {"any/data/weights/model_weights_config.json",
           R"({"config":{)" + weight("fc.weight", "weight_0", strides) + "," +
               weight("head.weight", "weight_0", strides) + "}}"},
          {"any/models/model.json", text}};
}

Result<Capture> read(const std::string& bytes) {
  Diagnostics diagnostics;
  return read_capture(bytes, "x.pt2", diagnostics);
}

void expect_refused(const Entries& entries, const std::string& code, const std::string& word) {
  const Result<Capture> capture = read(zip_of(entries));
  ASSERT_FALSE(capture) << word;
  EXPECT_EQ(capture.error().code, code);
  EXPECT_NE(capture.error().text.find(word), std::string::npos) << capture.error().text;
}

TEST(SavedProgram, ReadsEveryModule) {
  const std::string bytes = zip_of(archive(program()));
  const Result<Capture> capture = read(bytes);
  ASSERT_TRUE(capture) << capture.error().text;
  const ModuleTree& tree = capture->tree;
  EXPECT_TRUE(tree.is_complete());
  ASSERT_EQ(tree.size(), 4u);
  EXPECT_EQ(tree[modules::root].class_name, "pkg.Net");
  EXPECT_EQ(tree[tree.find("fc")].class_name, "torch.nn.modules.linear.Linear");
  EXPECT_EQ(tree[tree.find("fc")].calls, 2u);
  EXPECT_EQ(tree[tree.find("held")].calls, std::nullopt);
  EXPECT_EQ(capture->sections, (std::vector<std::string>{"hierarchy", "fx_graph"}));
}

TEST(SavedProgram, ReadsTiedParametersAndContent) {
  const std::string bytes = zip_of(archive(program()));
  const Result<Capture> capture = read(bytes);
  ASSERT_TRUE(capture);
  ASSERT_EQ(capture->parameters.size(), 2u);
  EXPECT_EQ(capture->parameters[0].path, "fc.weight");
  EXPECT_EQ(capture->parameters[0].aliases, std::vector<std::string>{"head.weight"});
  EXPECT_EQ(capture->parameters[0].content_hash(), onnx::hash_content("aaaabbbb", 4).unordered);
  EXPECT_EQ(capture->parameters[1].path, "mask");
  EXPECT_EQ(capture->parameters[1].content_hash(), std::nullopt);
}

TEST(SavedProgram, ReadsGraphAsRecording) {
  const std::string bytes = zip_of(archive(program()));
  const Result<Capture> capture = read(bytes);
  ASSERT_TRUE(capture && capture->fx);
  const Recording& fx = *capture->fx;
  std::vector<std::string> words;
  for (const RecordedStep& step : fx.steps) words.push_back(fx.op_names[step.op_name]);
  EXPECT_EQ(words, (std::vector<std::string>{"aten.linear.default", "aten.split.Tensor", "_operator.getitem",
                                             "_operator.getitem", "aten.linear.default",
                                             "torch.ops.higher_order.cond", "aten.relu.default"}));
  const RecordedValue& made = fx.values[fx.outputs(0)[0]];
  EXPECT_EQ(made.shape, (std::vector<std::int64_t>{2, -1}));
  const auto parameter_of = [&](std::uint32_t value) { return fx.parameters[fx.values[value].parameter]; };
  EXPECT_EQ(parameter_of(fx.inputs(0)[1]), "fc.weight");
  ASSERT_EQ(fx.inputs(4).size(), 3u);
  EXPECT_EQ(fx.values[fx.inputs(4)[0]].producer, 3u);  // b, the second part
  EXPECT_EQ(fx.values[fx.inputs(4)[1]].producer, 2u);
  EXPECT_EQ(parameter_of(fx.inputs(4)[2]), "fc.weight");  // tied
  EXPECT_EQ(fx.steps[4].call, 1u);
  EXPECT_EQ(capture->tree[fx.steps[4].module].path, "fc");
  EXPECT_EQ(parameter_of(fx.inputs(6)[0]), "mask");
  EXPECT_EQ(fx.steps[6].module, no_module);
}

TEST(SavedProgram, IsFoundInAnyFolder) {
  for (const char* name :
       {"models/model.json", "a b/models/other.json", "serialized_exported_program.json"}) {
    const std::string bytes = zip_of({{"a b/data.pkl", "x"}, {name, program()}});
    const Result<Capture> capture = read(bytes);
    ASSERT_TRUE(capture) << name;
    EXPECT_EQ(capture->parameters.size(), 3u);
    EXPECT_EQ(capture->parameters[0].content_hash(), std::nullopt);
  }
  EXPECT_TRUE(read(zip_of({{"r/models/other.json", "{}"}, {"r/models/model.json", program()}})));
}

TEST(SavedProgram, RejectsOtherArchives) {
  expect_refused({{"archive/data.pkl", "x"}}, "A003", "contains no exported program");
  expect_refused({{"r/models/a.json", "{}"}, {"r/models/b.json", "{}"}}, "A003", "2 programs");
  expect_refused({{"r/models/model.json", "{"}}, "A004", "r/models/model.json is not JSON");
  expect_refused({{"r/models/model.json", std::string(5000, '[')}}, "A004", "is not JSON");
  for (const char* text :
       {"[]", "1", "{}", R"({"graph_module":[]})", R"({"graph_module":{"graph":{"nodes":1}}})"})
    expect_refused({{"r/models/model.json", text}}, "A004", "has no graph with nodes");
  const Result<Capture> packed = read(zip_of({{"r/models/model.json", "{}"}}, {.method = 8}));
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().code, "A002");
}

TEST(SavedProgram, SkipsInconsistentParts) {
  const std::string text = program();
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const char* instead : {"0", "null", "[]", "{}", R"("x")"}) {
      // Any value that begins here, replaced: most of these are no JSON, the others have another type.
      if (text[at] != '"' && text[at] != '{' && text[at] != '[') continue;
      const std::size_t end =
          text[at] == '"' ? text.find('"', at + 1) : text.find(text[at] == '{' ? '}' : ']', at);
      if (end == std::string::npos) continue;
      std::string other = text;
      other.replace(at, end - at + 1, instead);
      const std::string bytes = zip_of(archive(other));
      const Result<Capture> capture = read(bytes);
      EXPECT_TRUE(!capture || capture->fx);
    }
}

}  // namespace
}  // namespace thence::capture
