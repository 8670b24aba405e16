// Prints, for every node of an ONNX model, the module it comes from.
//   where model.onnx
#include <iostream>

#include <thence/thence.h>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: where MODEL.onnx\n";
    return 2;
  }
  const thence::Result<thence::ModelMap> map = thence::map_model(argv[1]);
  if (!map) {
    std::cerr << map.error().code << ": " << map.error().text << '\n' << map.error().hint << '\n';
    return static_cast<int>(map.error().kind);
  }
  for (std::size_t node = 0; node < map->size(); ++node) {
    const thence::Row row = map->row(node);
    std::cout << row.op_type << ' ' << row.name << " <- "
              << row.module.value_or("unknown: " + row.reason.value_or("")) << '\n';
  }
}
