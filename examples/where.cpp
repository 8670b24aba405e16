// map_model: prints, for every node of an ONNX model, the module it comes from.
//   where model.onnx
#include "example.h"

int main(int argc, char** argv) {
  if (argc != 2) return usage("where MODEL.onnx");
  const thence::Result<thence::ModelMap> map = thence::map_model(argv[1]);
  if (!map) return fail(map.error());
  for (std::size_t node = 0; node < map->size(); ++node) {
    const thence::Row row = map->row(node);
    std::cout << row.op_type << ' ' << row.name << " <- "
              << row.module.value_or("unknown: " + row.reason.value_or("")) << '\n';
  }
}
