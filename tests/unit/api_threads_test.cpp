// The library in several threads at once, on the same and on different models: with the preset tsan, no race.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include <thence/thence.h>

namespace thence {
namespace {

namespace fs = std::filesystem;

constexpr int thread_count = 8, rounds = 4;

std::string bytes_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class Threads : public testing::Test {
 protected:
  Threads() {
    std::string name = fs::temp_directory_path() / "thence-threads-XXXXXX";
    folder = mkdtemp(name.data());
    for (int number = 0; number < thread_count; ++number) {
      fs::create_directory(folder / std::to_string(number));
      fs::copy_file(tiny, folder / std::to_string(number) / "model.onnx");
    }
    bytes = bytes_of(tiny);
    std::ofstream(folder / "damaged.onnx", std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  }
  ~Threads() override { fs::remove_all(folder); }

  // Calls the work in all threads at once, several times. Each time it must return what it returns here.
  static void run(const std::function<std::string(int)>& work) {
    const std::string expected = work(0);
    std::vector<std::thread> threads;
    for (int number = 0; number < thread_count; ++number)
      threads.emplace_back([&, number] {
        for (int round = 0; round < rounds; ++round) EXPECT_EQ(work(number), expected);
      });
    for (std::thread& thread : threads) thread.join();
  }
  fs::path own(int number) const { return folder / std::to_string(number); }

  // What the answers about a map are, as one text.
  static std::string ask(const ModelMap& map) {
    std::string text = map.explain(0);
    for (std::size_t node = 0; node < map.size(); ++node) text += map.row(node).module.value_or("?") + "\n";
    for (const Module& module : map.modules()) text += module.path + "\n";
    for (const Initializer& initializer : map.initializers()) text += initializer.name + "\n";
    const Result<std::vector<std::size_t>> found =
        map.query({.ops = {"MatMul"}, .where = "confidence > 0.1"});
    return text + (found ? std::to_string(found->size()) : found.error().code);
  }

  const std::string tiny = THENCE_EXAMPLES_FOLDER "/tiny.onnx";
  const std::string capture = THENCE_EXAMPLES_FOLDER "/tiny.capture.json";
  std::string bytes;
  fs::path folder;
};

TEST_F(Threads, MapTheSameFile) {
  run([&](int) {
    const Result<ModelMap> map = map_model(tiny, {.capture = capture});
    return map ? map->json() + ask(*map) : map.error().text;
  });
}

TEST_F(Threads, MapTheSameBytesByDifferentStrategies) {
  run([&](int) {
    std::string text;
    for (const Strategy strategy : {Strategy::automatic, Strategy::enhanced_semantic, Strategy::usage_based,
                                    Strategy::htp, Strategy::universal, Strategy::fx_graph}) {
      const Result<ModelMap> map = map_bytes(bytes, {.strategy = strategy, .capture = capture});
      text += map ? ask(*map) : map.error().code;
    }
    return text;
  });
}

TEST_F(Threads, CompareAndTransferDifferentFiles) {
  run([&](int number) {
    const Result<ModelMap> map = map_model(own(number) / "model.onnx"), ancestor = map_model(tiny);
    if (!map || !ancestor) return std::string("no map");
    const Result<ModelMap> derived = ancestor->transfer(own(number) / "model.onnx");
    const Result<Differences> differences = map->diff(*ancestor);
    return (derived ? ask(*derived) : derived.error().text) +
           (differences ? std::to_string(differences->same_nodes) : differences.error().text);
  });
}

TEST_F(Threads, WriteTheSameAndDifferentFiles) {
  const fs::path shared = folder / "shared.onnx";
  run([&](int number) {
    const Result<ModelMap> map = map_model(own(number) / "model.onnx");
    if (!map) return map.error().text;
    for (const fs::path& path : {own(number) / "tagged.onnx", shared})
      if (const Result<Tagged> tagged = map->tag(path); !tagged) return tagged.error().text;
    const Result<Extracted> part = map->extract("layers.0", own(number) / "part.onnx");
    if (!part) return part.error().text;
    return bytes_of(own(number) / "tagged.onnx") + bytes_of(shared) + bytes_of(own(number) / "part.onnx");
  });
  for (int number = 0; number < thread_count; ++number)
    EXPECT_EQ(std::distance(fs::directory_iterator(own(number)), {}), 3) << number;
}

TEST_F(Threads, ReportErrors) {
  run([&](int number) {
    std::string codes;
    for (const fs::path& path : {folder / "missing.onnx", folder / "damaged.onnx", own(number)})
      codes += map_model(path).error().code;
    const Result<ModelMap> map = map_model(tiny);
    codes += map->query({.modules = {"nowhere"}}).error().code;
    codes += map->query({.where = "op_type ="}).error().code;
    codes += map->transfer(folder / "damaged.onnx").error().code;
    return codes + map->tag(folder / "missing" / "tagged.onnx").error().code;
  });
}

}  // namespace
}  // namespace thence
