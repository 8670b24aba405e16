// thence_model_dump FILE... | --stdin-list: what the Model view sees of each file, as JSON lines. A line
// {"file": ...} comes before each; a file that cannot be read gives {"error": ...} instead.
#include <iostream>
#include <string>
#include <vector>

#include "model_lines.h"

namespace {

void dump(const std::string& path) {
  using thence::tools::quoted;
  std::cout << "{\"file\":" << quoted(path) << "}\n";
  thence::Diagnostics diagnostics;
  const auto model = thence::onnx::Model::open(path, diagnostics);
  if (model) {
    std::cout << thence::tools::model_lines(*model);
  } else {
    const thence::Error& error = model.error();
    std::cout << "{\"error\":" << quoted(error.code) << ",\"exit\":" << static_cast<int>(error.kind)
              << ",\"text\":" << quoted(error.text) << "}\n";
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> paths(arguments + 1, arguments + count);
  if (paths.empty()) {
    std::cerr << "usage: thence_model_dump FILE... | --stdin-list\n";
    return 2;
  }
  if (paths[0] == "--stdin-list") {
    for (std::string path; std::getline(std::cin, path);) dump(path);
  } else {
    for (const std::string& path : paths) dump(path);
  }
  return std::cout.flush() ? 0 : 4;
}
