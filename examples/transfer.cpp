// ModelMap::transfer: maps a model that an optimiser made from another one.
//   transfer model.onnx optimised.onnx
#include "example.h"

int main(int argc, char** argv) {
  if (argc != 3) return usage("transfer MODEL.onnx OPTIMISED.onnx");
  const thence::Result<thence::ModelMap> ancestor = thence::map_model(argv[1]);
  if (!ancestor) return fail(ancestor.error());
  const thence::Result<thence::ModelMap> map = ancestor->transfer(argv[2]);
  if (!map) return fail(map.error());
  for (std::size_t node = 0; node < map->size(); ++node) {
    const thence::Row row = map->row(node);
    std::cout << row.name << " <- " << row.module.value_or("?") << " by " << row.source.value_or("?") << '\n';
  }
}
