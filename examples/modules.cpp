// ModelMap::modules: prints the modules of a model, their classes, and how many nodes each ran itself.
//   modules model.onnx model.capture.json
#include "example.h"

int main(int argc, char** argv) {
  if (argc != 3) return usage("modules MODEL.onnx CAPTURE.json");
  thence::Options options;
  options.capture = argv[2];
  options.strategy = thence::Strategy::automatic;
  const thence::Result<thence::ModelMap> map = thence::map_model(argv[1], options);
  if (!map) return fail(map.error());
  for (const thence::Module& module : map->modules())
    std::cout << (module.parent ? module.path : "(root)") << ' ' << module.class_name.value_or("?") << ' '
              << module.nodes << '\n';
}
