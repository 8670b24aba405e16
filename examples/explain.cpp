// ModelMap::explain: prints why nodes with a name have their module.
//   explain model.onnx /encoder/MatMul
#include "example.h"

int main(int argc, char** argv) {
  if (argc != 3) return usage("explain MODEL.onnx NODE");
  const thence::Result<thence::ModelMap> map = thence::map_model(argv[1]);
  if (!map) return fail(map.error());
  const std::vector<std::size_t> nodes = map->find(argv[2]);
  for (const std::size_t node : nodes) std::cout << map->explain(node);
  return nodes.empty() ? 1 : 0;
}
