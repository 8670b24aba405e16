// ModelMap::tag: writes the module of each node into a copy of the model.
//   tag model.onnx tagged.onnx
#include "example.h"

int main(int argc, char** argv) {
  if (argc != 3) return usage("tag MODEL.onnx TAGGED.onnx");
  const thence::Result<thence::ModelMap> map = thence::map_model(argv[1]);
  if (!map) return fail(map.error());
  const thence::Result<thence::Tagged> made = map->tag(argv[2]);
  if (!made) return fail(made.error());
  std::cout << made->tagged << " of " << made->nodes << " nodes tagged\n";
}
