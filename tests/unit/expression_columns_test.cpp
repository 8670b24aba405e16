// The columns of expressions, and the layers that they count.
#include "expression/columns.h"

#include "expression_parts.h"
#include "semantics/layer_counts.h"

namespace thence::test {
namespace {

TEST_F(Expressing, ColumnsHaveSpellings) {
  expression::ColumnReader reader(*map);
  const auto texts = [&](const char* column, modules::ModuleId module) {
    expression::Value value;
    expression::find_column(column)->read(reader, {.module = module}, value);
    return value.texts;
  };
  using Texts = std::vector<std::string_view>;
  const modules::ModuleId query = map->tree().find("enc.layer.0.attn.query");
  EXPECT_EQ(texts("module", modules::root), (Texts{"", "(root)"}));
  EXPECT_EQ(texts("role", query), (Texts{"attention", "attention query"}));
  EXPECT_EQ(texts("component", query), Texts{"query"});
  EXPECT_EQ(texts("module", modules::no_module), Texts());
  EXPECT_EQ(expression::find_column("soup"), nullptr);
}

TEST_F(Expressing, ListsHaveTheirOwnLayers) {
  const semantics::LayerCounts counts(*map);
  const auto count = [&](std::string_view path) {
    return counts.of(map->layers(map->tree().find(path)).front());
  };
  EXPECT_EQ(count("enc.layer.0.attn"), 2u);
  EXPECT_EQ(count("dec.layer.0"), 1u);
  EXPECT_EQ(counts.of({"nowhere", 3}), 0u);
}

}  // namespace
}  // namespace thence::test
