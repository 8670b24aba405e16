#include "resolve/members.h"

#include <gtest/gtest.h>

#include "evidence_parts.h"

namespace thence::resolve {
namespace {

using evidence::Part;
using test::node;

// A node that was fused of the modules `layer.act` and `layer.conv`, in this order.
class Members : public testing::Test {
 protected:
  Members() {
    for (const char* path : {"layer", "layer.act", "layer.conv", "layer.conv2"}) tree_.add(path);
  }

  std::string_view computing_of(std::string_view op_type, std::vector<Part> parts) {
    const test::ReadModel read(test::model(test::graph({node(op_type, {"x"}, {"y"})})));
    Resolution resolution;
    resolution.nodes.resize(1);
    Attribution& answer = resolution.nodes[0];
    answer.module = tree_.find("layer.act");
    answer.reason = Reason::none;
    resolution.module_sets.push_back(
        {tree_.find("layer.act"), tree_.find("layer.conv"), tree_.find("layer.conv2")});
    answer.module_set = 1;
    if (!parts.empty()) resolution.parts.emplace(0, std::move(parts));
    find_computing_modules(read.model(), tree_, resolution);
    return tree_[resolution.nodes[0].computing_module()].path;
  }

  modules::ModuleTree tree_;
};

TEST_F(Members, TheOneThatMultipliesDoesTheWork) {
  EXPECT_EQ(computing_of("Conv", {Part::activation, Part::compute, Part::other}), "layer.conv");
}

TEST_F(Members, OfSeveralThatMultiplyItIsTheModuleAroundThem) {
  EXPECT_EQ(computing_of("Conv", {Part::activation, Part::compute, Part::compute}), "layer");
}

TEST_F(Members, WithoutPartsThePrimaryOneDoesTheWork) { EXPECT_EQ(computing_of("Conv", {}), "layer.act"); }

TEST_F(Members, AnOperatorWithoutMultiplicationsIsThePrimaryOnes) {
  EXPECT_EQ(computing_of("Relu", {Part::activation, Part::compute, Part::other}), "layer.act");
}

}  // namespace
}  // namespace thence::resolve
