// People's words: how names are cut into words, what roles they give, and tags that name one module.
#include <gtest/gtest.h>

#include <set>

#include "semantics/lexicon.h"
#include "semantics/roles.h"
#include "semantics/tags.h"

namespace thence::semantics {
namespace {

using Strings = std::vector<std::string>;

TEST(Lexicon, SplitsNamesAtCaseAndSeparators) {
  EXPECT_EQ(words_of("self_attn"), (Strings{"self", "attn"}));
  EXPECT_EQ(words_of("LayerNorm"), (Strings{"layer", "norm"}));
  EXPECT_EQ(words_of("MLPBlock"), (Strings{"mlp", "block"}));
  EXPECT_EQ(words_of("fc1"), (Strings{"fc1", "fc"}));
  EXPECT_TRUE(words_of("").empty());
}

TEST(WordSet, IncludesAnotherIfItHasAllOfItsWords) {
  const WordSet name(words_of("cross_attention_layer"));
  EXPECT_TRUE(name.includes(WordSet({"attention", "cross"})));
  EXPECT_FALSE(name.includes(WordSet({"attention", "self"})));
  EXPECT_TRUE(name.includes(WordSet()));
  EXPECT_FALSE(WordSet().includes(WordSet({"attention"})));
  WordSet both(words_of("self"));
  both.add(name);
  EXPECT_TRUE(both.includes(WordSet({"attention", "self"})));
}

struct Expected {
  const char* path;
  const char* class_name;
  const char* type;
  const char* component;
};

TEST(Roles, AreReadFromTheInsideOut) {
  modules::ModuleTree tree;
  RoleReader reader;
  for (const Expected& e :
       {Expected{"encoder.layer.0.attention.self.query", "torch.nn.modules.linear.Linear", "attention",
                 "query"},
        Expected{"encoder.layer.0.attention.output.LayerNorm", "", "norm", ""},
        Expected{"encoder.layer.0.intermediate.dense", "", "mlp", "up"},
        Expected{"encoder.layer.0.output.dense", "", "linear_projection", "output"},
        Expected{"layers.3.mlp.gate_proj", "", "mlp", "gate"}, Expected{"x.7", "pkg.FeedForward", "mlp", ""},
        Expected{"x.8", "torch.nn.modules.activation.LeakyReLU", "activation", ""},
        Expected{"x.9", "torch.nn.modules.batchnorm.BatchNorm2d", "norm", ""}}) {
    const Role role = reader.of(tree, tree.add(e.path, e.class_name));
    EXPECT_EQ(role.type, e.type) << e.path;
    EXPECT_EQ(role.component, e.component) << e.path;
  }
  EXPECT_TRUE(reader.of(tree, modules::root).type.empty());
}

TEST(Roles, IgnoreTheModelsNameInClasses) {
  modules::ModuleTree tree;
  RoleReader reader;
  for (const Expected& e : {Expected{"a", "lib.models.conv_head.modeling.ConvHeadAttention", "attention", ""},
                            Expected{"b", "lib.convhead.ConvHeadMLP", "mlp", ""},
                            Expected{"c", "lib.attention.AttentionBlock", "attention", ""},
                            Expected{"d", "torch.nn.modules.conv.Conv2d", "convolution", ""}}) {
    const Role role = reader.of(tree, tree.add(e.path, e.class_name));
    EXPECT_EQ(role.type, e.type) << e.class_name;
  }
}

TEST(Roles, LayersAndListsHaveTheTypeOfTheWhole) {
  modules::ModuleTree tree;
  RoleReader reader;
  for (const char* path : {"encoder.stages.0.layers.1.attn.q", "encoder.stages.0.layers.1.odd",
                           "layers.0.fc1", "layers.0.attn.fc1", "conv_stem.encoder.odd"})
    tree.add(path);
  const auto type_of = [&](const char* path) { return reader.of(tree, tree.find(path)).type; };
  for (const char* piece : {"encoder", "encoder.stages", "encoder.stages.0", "encoder.stages.0.layers",
                            "encoder.stages.0.layers.1"})
    EXPECT_EQ(type_of(piece), "encoder") << piece;
  EXPECT_EQ(type_of("encoder.stages.0.layers.1.odd"), "");  // a part of a layer that nothing tells of
  EXPECT_EQ(type_of("layers"), "");
  EXPECT_EQ(type_of("layers.0.fc1"), "mlp");
  EXPECT_EQ(type_of("layers.0.attn.fc1"), "attention");
  EXPECT_EQ(type_of("conv_stem.encoder.odd"), "encoder");  // a whole is no part of what is around it
}

TEST(Roles, AnActivationIsALeafWithoutComponents) {
  modules::ModuleTree tree;
  RoleReader reader;
  tree.add("layer.0.dense_relu_dense.wi");
  EXPECT_NE(reader.of(tree, tree.find("layer.0.dense_relu_dense")).type, "activation");
  const Role role = reader.of(tree, tree.add("layer.0.intermediate.intermediate_act_fn"));
  EXPECT_EQ(role.type, "activation");
  EXPECT_EQ(role.component, "");
}

TEST(Roles, DistinguishSelfFromCrossAttention) {
  modules::ModuleTree tree;
  RoleReader reader;
  EXPECT_EQ(reader.of(tree, tree.add("layer.0.attention.self.query")).classification, "self_attention");
  EXPECT_EQ(reader.of(tree, tree.add("layer.0.crossattention.self.query")).classification, "cross_attention");
}

TEST(Tags, NameOneModule) {
  modules::ModuleTree tree;
  tree.add("", "pkg.Net");
  tree.add("encoder", "pkg.Encoder");
  tree.add("encoder.layer", "torch.nn.modules.container.ModuleList");
  for (const char* layer : {"encoder.layer.10", "encoder.layer.2"}) {
    tree.add(layer, "pkg.Layer");
    tree.add(std::string(layer) + ".norm_in", "torch.nn.modules.normalization.LayerNorm");
    tree.add(std::string(layer) + ".norm_out", "torch.nn.modules.normalization.LayerNorm");
  }
  const modules::ClassFilter filter;
  const Tags tags(tree, filter, TagFormat::ordinal);
  // Numbered children count by number, in whatever order they were met.
  EXPECT_EQ(tags.of(tree.find("encoder.layer.2")), "/Net/Encoder/Layer.0");
  EXPECT_EQ(tags.of(tree.find("encoder.layer.10.norm_out")), "/Net/Encoder/Layer.1/LayerNorm.1");
  std::set<std::string> all;
  std::size_t shown = 0;
  for (modules::ModuleId id = 0; id < tree.size(); ++id)
    if (filter.is_shown(tree[id].class_name)) {
      ++shown;
      all.insert(tags.of(id));
    }
  EXPECT_EQ(all.size(), shown);
  EXPECT_EQ(Tags(tree, filter, TagFormat::bare).of(tree.find("encoder.layer.10.norm_out")),
            "/Net/Encoder/Layer/LayerNorm");
}

}  // namespace
}  // namespace thence::semantics
