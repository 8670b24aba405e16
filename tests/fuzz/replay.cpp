// Runs targets on stored inputs: `thence_fuzz_replay FOLDER`, which has a folder of inputs for each target,
// and the folder `models` for all targets that take a model. With `TARGET FILE...`, runs one target on files.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz.h"

namespace thence::fuzz {
namespace {

namespace fs = std::filesystem;

// In memory of its own, so that sanitizers see what is read behind it.
std::vector<char> content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  require(in.good(), "the file can be read: " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

void replay(const Target& target, const fs::path& file) {
  const std::vector<char> content = content_of(file);
  target.run({content.data(), content.size()});
}

std::size_t replay_folder(const Target& target, const fs::path& folder) {
  std::vector<fs::path> files;
  if (fs::exists(folder))
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::printf("%s %s\n", std::string(target.name).c_str(), file.c_str());  // before it may end the program
    std::fflush(stdout);
    replay(target, file);
  }
  return files.size();
}

void replay_all(const fs::path& corpus) {
  for (const Target& target : targets()) {
    std::size_t inputs = replay_folder(target, corpus / target.name);
    if (target.parts == std::vector{Part::model}) inputs += replay_folder(target, corpus / "models");
    require(inputs > 0, "there are inputs for " + std::string(target.name));
  }
}

void replay_files(const std::vector<std::string>& arguments) {
  for (const Target& target : targets())
    if (target.name == arguments.front())
      for (std::size_t i = 1; i < arguments.size(); ++i) replay(target, arguments[i]);
}

}  // namespace
}  // namespace thence::fuzz

int main(int count, char** arguments) {
  using namespace thence::fuzz;
  require(count > 1, "the folder of the inputs is given");
  if (count == 2) {
    replay_all(arguments[1]);
  } else {
    replay_files({arguments + 1, arguments + count});
  }
}
