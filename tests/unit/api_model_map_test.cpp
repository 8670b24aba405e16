// The public C++ API: each function on a small model, and its errors.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "onnx_parts.h"

#include <thence/thence.h>

namespace thence {
namespace {

using test::graph;
using test::node;

// A folder that the test deletes.
class ApiFolder {
 public:
  ApiFolder() : path_(std::filesystem::temp_directory_path() / ("api." + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~ApiFolder() { std::filesystem::remove_all(path_); }
  ApiFolder(const ApiFolder&) = delete;
  ApiFolder& operator=(const ApiFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string file(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return file(name);
  }
  bool is_empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

const std::string two_nodes =
    test::model(
        graph({node("Relu", {"x"}, {"a"}, "/fc/Relu"), node("Exp", {"a"}, {"y"}, "/act/Exp")}, {"x"}, {"y"}))
        .bytes();
const std::string renamed =
    test::model(graph({node("Relu", {"x"}, {"p"}, "n1"), node("Exp", {"p"}, {"y"}, "n2")}, {"x"}, {"y"}))
        .bytes();
const std::string longer =
    test::model(graph({node("Relu", {"x"}, {"a"}, "/fc/Relu"), node("Exp", {"a"}, {"b"}, "/act/Exp"),
                       node("Neg", {"b"}, {"y"}, "/act/Neg")},
                      {"x"}, {"y"}))
        .bytes();

TEST(Api, VersionIsThatOfTheHeaders) {
  EXPECT_EQ(version(), std::to_string(THENCE_VERSION_MAJOR) + "." + std::to_string(THENCE_VERSION_MINOR) +
                           "." + std::to_string(THENCE_VERSION_PATCH));
}

TEST(Api, ModulesComeInTreeOrderWithTheirNodes) {
  const Result<ModelMap> map = map_bytes(two_nodes);
  ASSERT_TRUE(map);
  std::vector<std::string> found;
  for (const Module& module : map->modules())
    found.push_back(module.path + (module.parent ? "<" + *module.parent + " " : " ") +
                    std::to_string(module.nodes));
  EXPECT_EQ(found, (std::vector<std::string>{" 0", "act< 1", "fc< 1"}));
}

TEST(Api, QueryCombinesMembersWithAnd) {
  const Result<ModelMap> map = map_bytes(two_nodes);
  ASSERT_TRUE(map);
  const auto nodes = map->query({.modules = {"fc", "act"}, .ops = {"Exp"}});
  ASSERT_TRUE(nodes);
  EXPECT_EQ(*nodes, std::vector<std::size_t>{1});
}

TEST(Api, QueryReportsAnEmptySelectionAndOneThatMatchesNothing) {
  const Result<ModelMap> map = map_bytes(two_nodes);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->query({}).error().code, "U014");
  EXPECT_EQ(map->query({.modules = {"nowhere"}}).error().code, "Q002");
  EXPECT_EQ(map->query({.where = "op_type ="}).error().kind, ErrorKind::usage);
}

TEST(Api, ExplainIsConstAndRepeatable) {
  const Result<ModelMap> map = map_bytes(two_nodes);
  ASSERT_TRUE(map);
  const ModelMap& unchanged = *map;
  const std::string first = unchanged.explain(0);
  EXPECT_NE(first.find("fc"), std::string::npos);
  EXPECT_EQ(unchanged.explain(0), first);
}

TEST(Api, TransferOutlivesTheAncestor) {
  const ApiFolder folder;
  const std::string file = folder.file("renamed.onnx", renamed);
  const auto transferred = [&] {
    const Result<ModelMap> ancestor = map_bytes(two_nodes);
    return ancestor->transfer(file);
  }();
  ASSERT_TRUE(transferred);
  EXPECT_EQ(transferred->row(0).module, "fc");
  EXPECT_EQ(transferred->row(1).module, "act");
  EXPECT_EQ(transferred->row(1).source, "transferred");
  EXPECT_TRUE(transferred->initializers().empty());
}

TEST(Api, TransferReportsAFileThatIsNoModel) {
  const ApiFolder folder;
  const Result<ModelMap> ancestor = map_bytes(two_nodes);
  ASSERT_TRUE(ancestor);
  EXPECT_EQ(ancestor->transfer(folder.file("missing.onnx")).error().code, "F001");
}

TEST(Api, DiffListsDifferencesWithTheirRows) {
  const Result<ModelMap> before = map_bytes(two_nodes), after = map_bytes(longer);
  ASSERT_TRUE(before && after);
  const Result<Differences> same = before->diff(*before);
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->empty());
  const Result<Differences> found = before->diff(*after, {DiffKind::rewired});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->list.size(), 1u);
  EXPECT_EQ(name_of(found->list[0].kind), "added");
  EXPECT_EQ(found->list[0].module, "act");
  EXPECT_EQ(found->list[0].b, std::vector<std::size_t>{2});
}

TEST(Api, TagIsReadBack) {
  const ApiFolder folder;
  const Result<ModelMap> map = map_bytes(two_nodes);
  ASSERT_TRUE(map);
  const Result<Tagged> made = map->tag(folder.file("tagged.onnx"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->tagged, 2u);
  const Result<ModelMap> tagged = map_model(folder.file("tagged.onnx"));
  ASSERT_TRUE(tagged);
  EXPECT_EQ(tagged->row(0).source, "tags");
  const Result<ModelMap> ignored = map_model(folder.file("tagged.onnx"), {.ignore_tags = true});
  ASSERT_TRUE(ignored);
  EXPECT_NE(ignored->row(0).source, "tags");
}

TEST(Api, NothingIsWrittenWhereItCannotBe) {
  const ApiFolder folder;
  const Result<ModelMap> map = map_bytes(two_nodes);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->tag(folder.file("missing/tagged.onnx")).error().kind, ErrorKind::input_output);
  EXPECT_FALSE(map->extract("nowhere", folder.file("part.onnx")));
  EXPECT_TRUE(folder.is_empty());
}

TEST(Api, ExtractWritesAModelOfTheModule) {
  const ApiFolder folder;
  const Result<ModelMap> map = map_bytes(longer);
  ASSERT_TRUE(map);
  const Result<Extracted> part = map->extract("act", folder.file("act.onnx"));
  ASSERT_TRUE(part);
  EXPECT_EQ(part->nodes, 2u);
  EXPECT_EQ(part->inputs, std::vector<std::string>{"act.input"});
  EXPECT_EQ(part->outputs, std::vector<std::string>{"act.output"});
  const std::string bytes = content_of(folder.file("act.onnx"));
  const Result<ModelMap> again = map_bytes(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->size(), 2u);
}

TEST(Api, InitializersNameParameters) {
  const Result<ModelMap> map = map_model(std::string(THENCE_EXAMPLES_FOLDER) + "/tiny.onnx");
  ASSERT_TRUE(map);
  const std::vector<Initializer> weights = map->initializers();
  ASSERT_EQ(weights.size(), 7u);
  EXPECT_EQ(weights[0].name, "embed.weight");
  EXPECT_EQ(weights[0].parameters, std::vector<std::string>{"embed.weight"});
  EXPECT_EQ(name_of(weights[0].transform), "identity");
  EXPECT_EQ(weights[0].module, "embed");
  EXPECT_EQ(weights[0].shape, (std::vector<std::int64_t>{10, 8}));
}

TEST(Api, StrategiesAndGranularityAreThoseOfTheCore) {
  const std::string tiny = std::string(THENCE_EXAMPLES_FOLDER) + "/tiny.onnx";
  const std::string capture = std::string(THENCE_EXAMPLES_FOLDER) + "/tiny-all-sections.capture.json";
  for (const Strategy strategy : {Strategy::automatic, Strategy::enhanced_semantic, Strategy::usage_based,
                                  Strategy::htp, Strategy::universal, Strategy::fx_graph})
    EXPECT_TRUE(map_model(tiny, {.strategy = strategy, .capture = capture})) << static_cast<int>(strategy);
  EXPECT_EQ(map_model(tiny, {.strategy = Strategy::htp}).error().kind, ErrorKind::usage);
  const Result<ModelMap> map = map_model(tiny, {.capture = capture, .granularity = Granularity::nn});
  ASSERT_TRUE(map);
  EXPECT_EQ(map->row(1).module, "layers.0.fc");
  EXPECT_EQ(map_model(tiny, {.granularity = Granularity::custom}).error().code, "U016");
}

}  // namespace
}  // namespace thence
