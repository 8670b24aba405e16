// ModelMap::query: prints the names of the nodes inside a module that have an operator.
//   query model.onnx encoder.layer.0 MatMul
#include "example.h"

int main(int argc, char** argv) {
  if (argc != 4) return usage("query MODEL.onnx MODULE OPERATOR");
  const thence::Result<thence::ModelMap> map = thence::map_model(argv[1]);
  if (!map) return fail(map.error());
  const thence::Result<std::vector<std::size_t>> nodes = map->query({.under = {argv[2]}, .ops = {argv[3]}});
  if (!nodes) return fail(nodes.error());
  for (const std::size_t node : *nodes) std::cout << map->row(node).name << '\n';
}
