// The floor of reading a JSON file: simdjson parses it into a document, as a whole.
#include <simdjson.h>

#include <cstdio>

int main(int argc, char** argv) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (argc != 2 || parser.load(argv[1]).get(root) != simdjson::SUCCESS) return 1;
  std::printf("%d\n", static_cast<int>(root.type()));
  return 0;
}
