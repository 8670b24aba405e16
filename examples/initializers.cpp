// ModelMap::initializers: prints the state_dict name behind each weight of a file.
//   initializers model.onnx
#include "example.h"

int main(int argc, char** argv) {
  if (argc != 2) return usage("initializers MODEL.onnx");
  const thence::Result<thence::ModelMap> map = thence::map_model(argv[1]);
  if (!map) return fail(map.error());
  for (const thence::Initializer& weight : map->initializers()) {
    std::cout << weight.name << " <- " << (weight.parameters.empty() ? "?" : weight.parameters.front());
    if (weight.transform != thence::Transform::none) std::cout << ' ' << name_of(weight.transform);
    std::cout << '\n';
  }
}
