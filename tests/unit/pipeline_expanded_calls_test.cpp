// Nodes of functions get the answers of their copies in the expanded model.
#include <gtest/gtest.h>

#include "onnx/layout.h"
#include "onnx_parts.h"
#include "pipeline/pipeline.h"

namespace thence::pipeline {
namespace {

using test::Message;
using test::node;

// "module" or "module|module (reason)", by node.
std::vector<std::string> modules_of(const Message& model) {
  const std::string bytes = model.bytes();
  const Result<semantics::Map> map = map_bytes(bytes, "model", {});
  std::vector<std::string> found;
  for (onnx::NodeId id = 0; id < map->model().node_count(); ++id) {
    std::string text;
    for (const modules::ModuleId module : map->modules_of(id))
      text += (text.empty() ? "" : "|") + std::string(map->tree()[module].path);
    if (!map->answer(id).known()) text += " (" + std::string(map->reason(id)) + ")";
    found.push_back(text);
  }
  return found;
}

// Two layers that share a function.
Message two_calls() {
  Message graph;
  for (const char* layer : {"0", "1"}) {
    const std::string prefix = std::string("layers.") + layer;
    const std::string from = layer[0] == '0' ? "x" : "h", to = layer[0] == '0' ? "h" : "y";
    Message call;
    call.text(onnx::NodeField::input, from)
        .text(onnx::NodeField::input, prefix + ".up.weight")
        .text(onnx::NodeField::input, prefix + ".down.weight")
        .text(onnx::NodeField::output, to)
        .text(onnx::NodeField::name, "/" + prefix + "/Block")
        .text(onnx::NodeField::op_type, "Block")
        .text(onnx::NodeField::domain, "own");
    graph.inner(onnx::GraphField::node, call);
    for (const char* part : {".up.weight", ".down.weight"})
      graph.inner(onnx::GraphField::initializer, test::tensor(prefix + part));
  }
  graph.inner(onnx::GraphField::input, test::value_info("x"));
  graph.inner(onnx::GraphField::output, test::value_info("y"));
  return Message().inner(onnx::ModelField::graph, graph);
}

TEST(ExpandedCalls, NodesOfSeveralCallsListTheirModules) {
  Message model = two_calls();
  Message block = test::function("Block", {node("Gemm", {"a", "u"}, {"b"}), node("Gemm", {"b", "d"}, {"c"})},
                                 {"a", "u", "d"}, {"c"});
  block.text(onnx::FunctionField::domain, "own");
  model.inner(onnx::ModelField::functions, block);
  EXPECT_EQ(modules_of(model),
            (std::vector<std::string>{"layers.0", "layers.1", "layers.0.up|layers.1.up (several_call_sites)",
                                      "layers.0.down|layers.1.down (several_call_sites)"}));
}

// A function that calls itself cannot be expanded; its nodes belong to the calls, as far as these are known.
TEST(ExpandedCalls, FunctionsThatCannotBeExpandedHaveTheirCalls) {
  Message model = two_calls();
  Message inner = node("Block", {"a", "u", "d"}, {"c"});
  inner.text(onnx::NodeField::domain, "own");
  Message block = test::function("Block", {inner}, {"a", "u", "d"}, {"c"});
  block.text(onnx::FunctionField::domain, "own");
  model.inner(onnx::ModelField::functions, block);
  EXPECT_EQ(modules_of(model).back(), "layers.0|layers.1 (several_call_sites)");
}

}  // namespace
}  // namespace thence::pipeline
