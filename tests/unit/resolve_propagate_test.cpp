#include "resolve/propagate.h"

#include <gtest/gtest.h>

#include "onnx_parts.h"

namespace thence::resolve {
namespace {

using test::graph;
using test::node;

// A model and its modules. Tests attribute some of its nodes and look at what propagation makes of the
// others.
class Propagate : public testing::Test {
 protected:
  void make(const test::Message& file, test::Names paths) {
    read_.emplace(test::model(file));
    for (const std::string_view path : paths) tree_.add(path);
    resolution_.nodes.resize(read_->model().node_count());
  }
  Attribution& attribute(onnx::NodeId id, std::string_view path, bool is_named = true) {
    Attribution& known = resolution_.nodes[id];
    known.module = tree_.find(path);
    known.reason = Reason::none;
    known.confidence = 1;
    known.has_more_than_parameters = is_named;
    return known;
  }
  // As a recording's alignment, in a file in order or not.
  void align(onnx::NodeId id, std::string_view path, bool in_order) {
    Attribution& known = attribute(id, path);
    known.rests_on_alignment = true;
    known.is_alignment_ordered = in_order;
  }
  void run() { propagate(read_->model(), tree_, FlowIndex(read_->model()), resolution_); }

  // "path: rule, basis" or "reason: rule".
  std::string at(onnx::NodeId id) const {
    const Attribution& found = resolution_.nodes[id];
    const std::string rule(name_of(found.rule));
    if (!found.known()) return std::string(name_of(found.reason)) + ": " + rule;
    const std::string path = found.module == modules::root ? "(root)" : std::string(tree_[found.module].path);
    return path + ": " + rule + ", " + ConfidenceTable::shipped().name_of(found.basis);
  }
  std::vector<std::string> modules_of(onnx::NodeId id) const {
    std::vector<std::string> paths;
    for (const ModuleId module : resolution_.module_sets[resolution_.nodes[id].module_set])
      paths.emplace_back(tree_[module].path);
    return paths;
  }

  std::optional<test::ReadModel> read_;
  modules::ModuleTree tree_;
  Resolution resolution_;
};
using Listed = std::vector<std::string>;

TEST_F(Propagate, AConstantBelongsToTheModuleThatReadsIt) {
  make(graph({node("Constant", {}, {"c"}), node("Mul", {"x", "c"}, {"y"})}), {"a"});
  attribute(1, "a");
  run();
  EXPECT_EQ(at(0), "a: consumers, neighbours/shape_for_one_module/certain");
  EXPECT_TRUE(resolution_.nodes[0].is_inferred);
  EXPECT_EQ(resolution_.nodes[0].source, evidence::Source::neighbours);
}

TEST_F(Propagate, DataBelongsToTheModuleThatReadsIt) {
  make(graph({node("Relu", {"x"}, {"v"}), node("Relu", {"v"}, {"w"}), node("Relu", {"w"}, {"y"})}), {"a"});
  attribute(2, "a");
  run();
  EXPECT_EQ(at(1), "a: consumers, neighbours/data_for_one_module/certain");
  EXPECT_EQ(at(0).substr(0, 13), "a: consumers,");  // through a node that was unattributed itself
  EXPECT_LE(resolution_.nodes[0].confidence, resolution_.nodes[1].confidence);
}

TEST_F(Propagate, NoInferenceIsMoreCertainThanItsBasis) {
  make(graph({node("Constant", {}, {"c"}), node("Mul", {"x", "c"}, {"y"})}), {"a"});
  attribute(1, "a").confidence = 0.3f;
  run();
  EXPECT_EQ(at(0), "a: consumers, neighbours/shape_for_one_module/weak");
  EXPECT_LE(resolution_.nodes[0].confidence, 0.3f);
}

TEST_F(Propagate, ParametersAloneAreWeakerForConstants) {
  make(graph({node("Constant", {}, {"c"}), node("Mul", {"x", "c"}, {"y"})}), {"a"});
  attribute(1, "a", false);
  run();
  EXPECT_EQ(at(0), "a: consumers, neighbours/by_parameter/certain");
}

TEST_F(Propagate, SeveralReadersShareTheirCommonModule) {
  make(graph({node("Constant", {}, {"c"}), node("Mul", {"x", "c"}, {"y"}), node("Add", {"y", "c"}, {"z"})}),
       {"a", "a.left", "a.right"});
  attribute(1, "a.left");
  attribute(2, "a.right");
  run();
  EXPECT_EQ(at(0), "a: common_consumer, neighbours/common_module/certain");
  EXPECT_EQ(modules_of(0), (Listed{"a", "a.left", "a.right"}));
}

TEST_F(Propagate, ReadersWithOnlyTheRootInCommonDecideNothing) {
  make(graph({node("Constant", {}, {"c"}), node("Mul", {"x", "c"}, {"y"}), node("Add", {"y", "c"}, {"z"})}),
       {"a", "b"});
  attribute(1, "a");
  attribute(2, "b");
  run();
  EXPECT_EQ(at(0), "feeds_several: several_consumers");
  EXPECT_EQ(modules_of(0), (Listed{"a", "b"}));
}

TEST_F(Propagate, TheRootIsAnAnswerIfItReadsTheValueItself) {
  make(graph({node("Constant", {}, {"c"}), node("Mul", {"x", "c"}, {"y"}), node("Add", {"y", "c"}, {"z"})}),
       {"a"});
  attribute(1, "a");
  attribute(2, "");
  run();
  EXPECT_EQ(at(0), "(root): common_consumer, neighbours/common_module/certain");
}

TEST_F(Propagate, NeverAcrossLayers) {
  make(graph({node("Relu", {"x"}, {"v"}), node("Relu", {"v"}, {"w"}), node("Relu", {"w"}, {"y"})}),
       {"layers.0.act", "layers.1.act"});
  attribute(0, "layers.0.act");
  attribute(2, "layers.1.act");
  run();
  EXPECT_EQ(at(1), "between_layers: layer_boundary");
}

TEST_F(Propagate, AConstantThatTwoLayersReadIsUnknown) {
  make(graph({node("Constant", {}, {"c"}), node("Mul", {"x", "c"}, {"y"}), node("Add", {"y", "c"}, {"z"})}),
       {"layers.0", "layers.1"});
  attribute(1, "layers.0");
  attribute(2, "layers.1");
  run();
  EXPECT_EQ(at(0), "between_layers: layer_boundary");
}

TEST_F(Propagate, TheEndOfAModuleBelongsToItsProducer) {
  make(graph({node("Relu", {"x"}, {"v"}), node("Identity", {"v"}, {"y"})}, {}, {"y"}), {"a"});
  attribute(0, "a");
  run();
  EXPECT_EQ(at(1), "a: producer, neighbours/producer/certain");
}

TEST_F(Propagate, ParametersNeedBothSidesForData) {
  make(graph({node("MatMul", {"x", "w"}, {"v"}), node("Relu", {"v"}, {"r"}),
              node("MatMul", {"r", "u"}, {"y"})}),
       {"block", "block.fc1", "block.fc2"});
  attribute(0, "block.fc1", false);
  attribute(2, "block.fc2", false);
  run();
  EXPECT_EQ(at(1), "block: between_modules, neighbours/between/certain");
}

TEST_F(Propagate, ParametersOfUnrelatedModulesDecideNothing) {
  make(graph({node("MatMul", {"x", "w"}, {"v"}), node("Relu", {"v"}, {"r"}),
              node("MatMul", {"r", "u"}, {"y"})}),
       {"a", "b"});
  attribute(0, "a", false);
  attribute(2, "b", false);
  run();
  EXPECT_EQ(at(1), "feeds_several: several_consumers");
}

TEST_F(Propagate, UnalignedDataNeedsTheSameModuleOnBothSides) {
  make(graph({node("Relu", {"x"}, {"v"}), node("Relu", {"v"}, {"w"}), node("Relu", {"w"}, {"y"})}),
       {"a", "b"});
  align(0, "a", true);
  align(2, "a", true);
  run();
  EXPECT_EQ(at(1), "a: consumers, neighbours/data_for_one_module/certain");

  resolution_ = {};
  resolution_.nodes.resize(3);
  align(0, "b", true);
  align(2, "a", true);
  run();
  EXPECT_EQ(at(1), "no_evidence: no_evidence");
}

// Exporters merge equal constants, and keep the first one. Only an alignment shows that the file is in order.
TEST_F(Propagate, AConstantInsideAnotherLayerThanItsReadersIsUnknown) {
  for (const bool in_order : {true, false}) {
    make(graph({node("Relu", {"x"}, {"a"}), node("Constant", {}, {"c"}), node("Relu", {"a"}, {"b"}),
                node("Mul", {"b", "c"}, {"y"})}),
         {"layers.0", "layers.1", "embed"});
    align(0, "layers.0", in_order);
    attribute(2, "layers.0");
    attribute(3, "layers.1");
    run();
    EXPECT_EQ(at(1), in_order ? "between_layers: layer_boundary"
                              : "layers.1: consumers, neighbours/shape_for_one_module/certain");
  }
}

TEST_F(Propagate, AConstantBetweenTwoLayersBelongsToItsReader) {
  for (const std::string_view after : {"layers.1", "embed"}) {
    make(graph({node("Relu", {"x"}, {"a"}), node("Constant", {}, {"c"}), node("Relu", {"a"}, {"b"}),
                node("Mul", {"b", "c"}, {"y"})}),
         {"layers.0", "layers.1", "embed"});
    align(0, "layers.0", true);
    attribute(2, after);
    attribute(3, "layers.1");
    run();
    EXPECT_EQ(at(1), "layers.1: consumers, neighbours/shape_for_one_module/certain");
  }
}

// Exporters write a constant just before its reader. One that stands before another module's node may have
// been made for that one and shared.
TEST_F(Propagate, AConstantThatStandsElsewhereIsUncertain) {
  const auto file =
      graph({node("Constant", {}, {"c"}), node("Relu", {"x"}, {"v"}), node("Mul", {"v", "c"}, {"y"})});
  make(file, {"a", "b"});
  align(1, "b", true);
  align(2, "a", true);
  run();
  EXPECT_EQ(at(0), "ambiguous: uncertain_connections");

  resolution_ = {};
  resolution_.nodes.resize(3);
  align(1, "b", false);
  align(2, "a", false);
  run();
  EXPECT_EQ(at(0), "a: consumers, neighbours/distant_constant/certain");

  resolution_ = {};
  resolution_.nodes.resize(3);
  align(1, "a", false);
  align(2, "a", false);
  run();
  EXPECT_EQ(at(0), "a: consumers, neighbours/reordered_shape/certain");
}

TEST_F(Propagate, AnAlignmentReachesTwelveNodes) {
  constexpr onnx::NodeId casts = 13, reached = 12;
  test::Message made;
  made.inner(onnx::GraphField::node, node("Shape", {"x"}, {"s0"}));
  for (onnx::NodeId i = 0; i < casts; ++i)
    made.inner(onnx::GraphField::node,
               node("Cast", {"s" + std::to_string(i)}, {"s" + std::to_string(i + 1)}));
  made.inner(onnx::GraphField::node, node("Reshape", {"x", "s" + std::to_string(casts)}, {"y"}));
  make(made, {"a"});
  align(casts + 1, "a", true);
  run();
  for (onnx::NodeId id = casts + 1 - reached; id <= casts; ++id)
    EXPECT_EQ(at(id).substr(0, 13), "a: consumers,") << id;
  EXPECT_EQ(at(1), "ambiguous: uncertain_connections");
  EXPECT_EQ(at(0), "no_evidence: no_evidence");
}

// A size that the recording gives to another module is the end of that module's work as well.
TEST_F(Propagate, ASizeComputedElsewhereIsUncertain) {
  make(graph({node("Shape", {"x"}, {"s"}), node("Cast", {"s"}, {"t"}), node("Reshape", {"x", "t"}, {"y"})}),
       {"a", "b"});
  align(0, "b", true);
  align(2, "a", true);
  run();
  EXPECT_EQ(at(1), "ambiguous: uncertain_connections");
}

TEST_F(Propagate, LeavesDecidedNodesAlone) {
  make(graph({node("Constant", {}, {"c"}), node("Mul", {"x", "c"}, {"y"})}), {"a", "b"});
  attribute(0, "b");
  attribute(1, "a");
  run();
  EXPECT_EQ(tree_[resolution_.nodes[0].module].path, "b");
  resolution_.nodes[0] = Attribution{};
  resolution_.nodes[0].reason = Reason::ambiguous;
  run();
  EXPECT_FALSE(resolution_.nodes[0].known());
}

}  // namespace
}  // namespace thence::resolve
