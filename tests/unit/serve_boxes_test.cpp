// Boxes: stacks of repeated layers, chunks of large modules, and how to reach a node.
#include "serve/boxes.h"

#include "serve/limits.h"
#include "serve_parts.h"

namespace thence::test {
namespace {

using serve::Box;
using serve::Boxes;
using serve::Item;
using serve::Outline;

using Boxing = Serving;

TEST_F(Boxing, StacksRepeatedLayers) {
  const Outline outline(*map);
  const Boxes boxes(*map, outline);
  const std::vector<Item> items = boxes.items(Box{module("enc.layer")});
  ASSERT_EQ(items.size(), 1);
  EXPECT_EQ(items[0].kind, Item::Kind::stack);
  EXPECT_EQ(items[0].members, (std::vector{module("enc.layer.0"), module("enc.layer.1")}));
}

TEST_F(Boxing, SortsTheLayersOfAStackByNumber) {
  const std::string bytes = model(graph({node("Relu", {"x"}, {"a"}, "/layer.10/act/Relu"),
                                         node("Relu", {"a"}, {"b"}, "/layer.9/act/Relu"),
                                         node("Relu", {"b"}, {"c"}, "/layer.2/act/Relu")}))
                                .bytes();
  const Result<semantics::Map> reversed = pipeline::map_bytes(bytes, "model.onnx", {});
  const Outline outline(*reversed);
  const std::vector<Item> items = Boxes(*reversed, outline).items(Box{reversed->tree().find("layer")});
  ASSERT_EQ(items.size(), 1);
  EXPECT_EQ(items[0].members, (std::vector{reversed->tree().find("layer.2"), reversed->tree().find("layer.9"),
                                           reversed->tree().find("layer.10")}));
}

TEST_F(Boxing, DoesNotStackLayersOfDifferentStructure) {
  const std::string other = model(graph({node("MatMul", {"x"}, {"a"}, "/layer.0/attn/MatMul"),
                                         node("Relu", {"a"}, {"b"}, "/layer.1/act/Relu")}))
                                .bytes();
  const Result<semantics::Map> different = pipeline::map_bytes(other, "model.onnx", {});
  const Outline outline(*different);
  const Boxes boxes(*different, outline);
  const std::vector<Item> items = boxes.items(Box{different->tree().find("layer")});
  EXPECT_EQ(items.size(), 2);
}

TEST_F(Boxing, NamesTheBoxesAroundANode) {
  const Outline outline(*map);
  const Boxes boxes(*map, outline);
  const std::string stack = "s" + std::to_string(module("enc.layer")) + ":0";
  EXPECT_EQ(boxes.boxes_around(outline.position(3), outline.module_of(3)),
            (std::vector<std::string>{"m0", box("enc"), box("enc.layer"), stack, box("enc.layer.1"),
                                      box("enc.layer.1.attn")}));
}

TEST_F(Boxing, FindsOnlyBoxesThatExist) {
  const Outline outline(*map);
  const Boxes boxes(*map, outline);
  EXPECT_TRUE(boxes.find("m0"));
  EXPECT_TRUE(boxes.find("c0:0-2"));
  for (const char* name : {"", "m", "m999999", "m0x", "m-1", "c0", "c0:0-99", "c0:2-1", "c0:1-1", "n0",
                           "../etc", "m0/..", "m4294967295", "m99999999999999999999"})
    EXPECT_FALSE(boxes.find(name)) << name;
}

TEST(BoxingFlat, DividesALargeModuleIntoChunks) {
  const std::string bytes = flat_model(2500);
  const Result<semantics::Map> map = pipeline::map_bytes(bytes, "model.onnx", {});
  const Outline outline(*map);
  const Boxes boxes(*map, outline);
  std::size_t nodes = 0;
  const std::vector<Item> chunks = boxes.items(Box{outline.unknown()});
  EXPECT_EQ(chunks.size(), 25);
  for (const Item& chunk : chunks) {
    ASSERT_EQ(chunk.kind, Item::Kind::chunk);
    const std::vector<Item> inside = boxes.items(Box{outline.unknown(), chunk.chunk});
    EXPECT_LE(inside.size(), serve::max_items);
    nodes += inside.size();
  }
  EXPECT_EQ(nodes, 2500);
  const auto around = boxes.boxes_around(outline.position(2499), outline.unknown());
  EXPECT_EQ(around.back(), "c" + std::to_string(outline.unknown()) + ":2400-2500");
}

}  // namespace
}  // namespace thence::test
