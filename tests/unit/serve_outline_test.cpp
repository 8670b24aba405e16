// The order of nodes in nested modules.
#include "serve/outline.h"

#include "serve_parts.h"

namespace thence::test {
namespace {

using Outlining = Serving;

TEST_F(Outlining, GivesTheNodesOfAModuleConsecutivePositions) {
  const serve::Outline outline(*map);
  for (modules::ModuleId id = 0; id < map->tree().size(); ++id) {
    const serve::Range range = outline.range(id);
    for (onnx::NodeId node = 0; node < map->model().node_count(); ++node) {
      const bool is_in_range = range.first <= outline.position(node) && outline.position(node) < range.last;
      const bool is_inside = map->answer(node).known() && map->tree().is_within(map->answer(node).module, id);
      EXPECT_EQ(is_in_range, is_inside) << id << " " << node;
    }
  }
}

TEST_F(Outlining, NumbersEveryNodeOnce) {
  const serve::Outline outline(*map);
  for (onnx::NodeId node = 0; node < map->model().node_count(); ++node)
    EXPECT_EQ(outline.node_at(outline.position(node)), node);
}

TEST_F(Outlining, ListsNodesAndSubmodulesByTheirFirstNode) {
  const serve::Outline outline(*map);
  std::string units;
  for (const serve::Unit& unit : outline.units(modules::root))
    units += unit.is_module ? std::string(map->tree()[unit.number].path) + " " : "node ";
  EXPECT_EQ(units, "node enc head ");
}

TEST(OutliningUnknown, PutsUnknownNodesInAModuleOfTheirOwn) {
  const std::string bytes = flat_model(3);
  const Result<semantics::Map> map = pipeline::map_bytes(bytes, "model.onnx", {});
  const serve::Outline outline(*map);
  EXPECT_EQ(outline.range(outline.unknown()).size(), 3);
  EXPECT_EQ(outline.range(modules::root).size(), 3);
  EXPECT_EQ(outline.units(modules::root).size(), 1);
}

}  // namespace
}  // namespace thence::test
