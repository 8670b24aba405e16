// ModelMap::extract: writes one module as a separate model.
//   extract model.onnx encoder.layer.0 layer.onnx
#include "example.h"

int main(int argc, char** argv) {
  if (argc != 4) return usage("extract MODEL.onnx MODULE PART.onnx");
  const thence::Result<thence::ModelMap> map = thence::map_model(argv[1]);
  if (!map) return fail(map.error());
  const thence::Result<thence::Extracted> part = map->extract(argv[2], argv[3]);
  if (!part) return fail(part.error());
  std::cout << part->nodes << " nodes, " << part->initializers << " initializers\n";
  for (const std::string& name : part->inputs) std::cout << "input " << name << '\n';
  for (const std::string& name : part->outputs) std::cout << "output " << name << '\n';
}
