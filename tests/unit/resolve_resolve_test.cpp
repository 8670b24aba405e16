// The whole of resolve(): what is decided after propagation, function bodies, the class filter, shared nodes
// and owners of weights.
#include "resolve/resolve.h"

#include <gtest/gtest.h>

#include "evidence_parts.h"

namespace thence::resolve {
namespace {

using test::graph;
using test::ModelWithHierarchy;
using test::node;

Resolution resolved(const ModelWithHierarchy& net, std::string_view strategy = "auto") {
  const Strategy chosen = *find_strategy(strategy);
  return resolve(net.model(), net.hierarchy, collect(net.model(), net.hierarchy, chosen.sources),
                 FlowIndex(net.model()), chosen, modules::ClassFilter());
}

std::string path_of(const ModelWithHierarchy& net, ModuleId module) {
  if (module == no_module) return "none";
  return module == modules::root ? "(root)" : std::string(net.hierarchy.tree()[module].path);
}

// "path: rule" or "reason: rule".
std::string answer(const ModelWithHierarchy& net, const Resolution& resolution, onnx::NodeId id) {
  const Attribution& found = resolution.nodes[id];
  return (found.known() ? path_of(net, found.module) : std::string(name_of(found.reason))) + ": " +
         std::string(name_of(found.rule));
}

std::vector<std::string> modules_of(const ModelWithHierarchy& net, const Resolution& resolution,
                                    onnx::NodeId id) {
  std::vector<std::string> paths;
  for (const ModuleId module : resolution.module_sets[resolution.nodes[id].module_set])
    paths.push_back(path_of(net, module));
  return paths;
}
using Modules = std::vector<std::string>;

test::Message with_weights(test::Message graph, test::Names names) {
  for (const std::string_view name : names)
    graph.inner(onnx::GraphField::initializer, test::weight(name, {4, 4}));
  return test::model(graph);
}

// Equal weights are merged under one of their names. A node that only prepares a weight belongs to its
// reader, although the weight names another layer.
TEST(Resolve, ParametersOfConstantNodesAreDeferred) {
  const ModelWithHierarchy net(with_weights(graph({node("Transpose", {"layers.0.weight"}, {"t"}),
                                                   node("MatMul", {"x", "t"}, {"y"}, "/layers.1/MatMul")}),
                                            {"layers.0.weight"}));
  const Resolution found = resolved(net);
  EXPECT_EQ(answer(net, found, 0), "layers.1: consumers");
}

// The same in a file whose nodes stand before what they read.
TEST(Resolve, ConstantNodesAreRecognisedInAnyOrder) {
  const ModelWithHierarchy net(
      with_weights(graph({node("Transpose", {"c"}, {"t"}), node("Cast", {"layers.0.weight"}, {"c"}),
                          node("MatMul", {"x", "t"}, {"y"}, "/layers.1/MatMul")}),
                   {"layers.0.weight"}));
  const FlowIndex flow_index(net.model());
  EXPECT_EQ(flow_index.kind(0), FlowKind::constant);
  EXPECT_EQ(flow_index.kind(2), FlowKind::data);
  const Resolution found = resolved(net);
  EXPECT_EQ(answer(net, found, 0), "layers.1: consumers");
  EXPECT_EQ(answer(net, found, 1), "layers.1: consumers");
}

TEST(Resolve, NodesInACycleCarryData) {
  const ModelWithHierarchy net(test::model(graph({node("Neg", {"b"}, {"a"}), node("Exp", {"a"}, {"b"})})));
  const FlowIndex flow_index(net.model());
  EXPECT_EQ(flow_index.kind(0), FlowKind::data);
  EXPECT_EQ(flow_index.kind(1), FlowKind::data);
}

TEST(Resolve, DeferredParametersDecideWhatPropagationLeavesOpen) {
  const ModelWithHierarchy net(
      with_weights(graph({node("Transpose", {"fc.weight"}, {"t"})}, {}, {"t"}), {"fc.weight"}));
  const Resolution found = resolved(net);
  EXPECT_EQ(answer(net, found, 0), "fc: strongest_source");
}

// Recordings wait for names only if most nodes have one; a name that fits several modules is still one.
TEST(Resolve, ANameWithSeveralCandidatesCountsOnce) {
  const ModelWithHierarchy net(test::model(graph({node("Relu", {"x"}, {"u"}), node("Relu", {"u"}, {"v"}),
                                                  node("Relu", {"v"}, {"y"})})),
                               test::capture_of({"a", "b", "c"}));
  evidence::Sink sink;
  for (const std::string_view candidate : {"a", "b", "c"})
    sink.push({.node = 0,
               .module = net.module(candidate),
               .source = evidence::Source::onnx_scope_parsing,
               .strength = {.has_rivals = true}});
  sink.push({.node = 2, .module = net.module("a"), .source = evidence::Source::onnx_scope_parsing});
  sink.push({.node = 1,
             .module = net.module("b"),
             .source = evidence::Source::execution_trace,
             .strength = {.statement = evidence::Statement::alignment}});
  const Resolution found = resolve(net.model(), net.hierarchy, sink, FlowIndex(net.model()),
                                   *find_strategy("auto"), modules::ClassFilter());
  EXPECT_EQ(answer(net, found, 1), "b: strongest_source");
}

test::Message call(std::string_view weight, std::string_view output) {
  return node("Block", {"x", weight}, {output}).text(onnx::NodeField::domain, "pkg");
}
test::Message with_function(test::Message file) {
  test::Message function = test::function(
      "Block", {node("MatMul", {"a", "w"}, {"m"}), node("Relu", {"m"}, {"b"})}, {"a", "w"}, {"b"});
  return file.inner(onnx::ModelField::functions, function.text(onnx::FunctionField::domain, "pkg"));
}

TEST(Resolve, AFunctionBodyBelongsToItsOnlyCaller) {
  const ModelWithHierarchy net(
      with_function(with_weights(graph({call("block.fc.weight", "y")}), {"block.fc.weight"})));
  const Resolution found = resolved(net);
  EXPECT_EQ(answer(net, found, 0), "block.fc: strongest_source");
  EXPECT_EQ(answer(net, found, 1), "block.fc: call_sites");
  EXPECT_EQ(answer(net, found, 2), "block.fc: call_sites");
}

TEST(Resolve, AFunctionBodyWithSeveralCallersListsThem) {
  const ModelWithHierarchy net(
      with_function(with_weights(graph({call("layers.0.weight", "y"), call("layers.1.weight", "z")}),
                                 {"layers.0.weight", "layers.1.weight"})));
  const Resolution found = resolved(net);
  EXPECT_EQ(answer(net, found, 2), "several_call_sites: call_sites");
  EXPECT_EQ(modules_of(net, found, 2), (Modules{"layers.0", "layers.1"}));
}

TEST(Resolve, AFunctionWithoutCallersIsUnknown) {
  const ModelWithHierarchy net(with_function(with_weights(graph({node("Relu", {"x"}, {"y"})}), {})));
  EXPECT_EQ(answer(net, resolved(net), 1), "unused_function: call_sites");
}

TEST(Resolve, TheClassFilterLeavesOutTorchModules) {
  test::Capture capture;
  capture.tree.add("", "torch.nn.modules.container.Sequential");
  capture.tree.add("fc", "torch.nn.modules.linear.Linear");
  capture.tree.add("own", "pkg.Block");
  capture.tree.set_complete();
  const ModelWithHierarchy net(test::model(graph({node("MatMul", {"x", "w"}, {"y"}, "/fc/MatMul"),
                                                  node("Relu", {"y"}, {"z"}, "/own/Relu")})),
                               std::move(capture));
  const Resolution found = resolved(net, "usage_based");
  EXPECT_EQ(answer(net, found, 0), "filtered: class_filter");
  EXPECT_EQ(answer(net, found, 1), "own: strongest_source");
  EXPECT_EQ(found.filtered_by_class.size(), 1u);
}

// Exporters merge equal subexpressions: one layer's name on a node that the same place in another layer
// reads.
TEST(Resolve, AMergedNodeListsTheLayersThatShareIt) {
  const ModelWithHierarchy net(
      test::model(graph({node("Not", {"mask"}, {"m"}, "/layers.0/attn/Not"),
                         node("Where", {"m", "x", "x"}, {"y"}, "/layers.0/attn/Where"),
                         node("Where", {"m", "y", "y"}, {"z"}, "/layers.1/attn/Where")})));
  const Resolution found = resolved(net);
  EXPECT_EQ(answer(net, found, 0), "layers.0.attn: strongest_source");
  EXPECT_EQ(modules_of(net, found, 0), (Modules{"layers.0.attn", "layers.1.attn"}));
  EXPECT_TRUE(modules_of(net, found, 1).empty());
}

TEST(Resolve, TheLargestWeightHasTheOwner) {
  test::Message made = graph({node("Conv", {"x", "norm.bias", "conv.weight"}, {"y"}, "/conv/Conv"),
                              node("MatMul", {"y", "onnx::MatMul_7"}, {"z"}, "/fc/MatMul"),
                              node("Relu", {"z"}, {"w"}, "/act/Relu")});
  made.inner(onnx::GraphField::initializer, test::weight("norm.bias", {4}));
  made.inner(onnx::GraphField::initializer, test::weight("conv.weight", {4, 4}));
  made.inner(onnx::GraphField::initializer, test::weight("onnx::MatMul_7", {4, 4}));
  const ModelWithHierarchy net(test::model(made));
  const Resolution found = resolved(net);
  EXPECT_EQ(path_of(net, found.nodes[0].weight_owner), "conv");
  EXPECT_EQ(path_of(net, found.nodes[1].weight_owner), "fc");  // it has no name: its only reader's
  EXPECT_EQ(path_of(net, found.nodes[2].weight_owner), "none");
}

}  // namespace
}  // namespace thence::resolve
