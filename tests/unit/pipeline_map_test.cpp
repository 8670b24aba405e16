// From a file to its map: the order in which errors are found, and answers that come from an ancestor.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "onnx_parts.h"
#include "pipeline/ancestor.h"
#include "pipeline/pipeline.h"

namespace thence::pipeline {
namespace {

using evidence::NoAnswer;
using test::graph;
using test::node;
using transfer::Origin;
using transfer::OriginKind;

std::string bytes_of(const test::Message& graph) { return test::model(graph).bytes(); }

std::string code_of(const Result<semantics::Map>& map) { return map ? "" : map.error().code; }

// "module source" or the reason, by node.
std::vector<std::string> answers_of(const semantics::Map& map) {
  std::vector<std::string> found;
  for (onnx::NodeId id = 0; id < map.model().node_count(); ++id) {
    const resolve::Attribution& answer = map.answer(id);
    if (!answer.known())
      found.emplace_back(map.reason(id));
    else
      found.push_back(std::string(map.tree()[answer.module].path) + " " +
                      std::string(evidence::name_of(answer.source)));
  }
  return found;
}
using Answers = std::vector<std::string>;

// A file that the test deletes.
class File {
 public:
  File(const std::string& name, const std::string& bytes)
      : path_(std::filesystem::temp_directory_path() / (name + "." + std::to_string(getpid()))) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

const std::string named = bytes_of(
    graph({node("Relu", {"x"}, {"a"}, "/fc/Relu"), node("Exp", {"a"}, {"y"}, "/act/Exp")}, {"x"}, {"y"}));

TEST(Pipeline, NamesAreEvidence) {
  const Result<semantics::Map> map = map_bytes(named, "model", {});
  ASSERT_TRUE(map);
  EXPECT_EQ(answers_of(*map), (Answers{"fc onnx_scope_parsing", "act onnx_scope_parsing"}));
  EXPECT_EQ(map->ancestor(), nullptr);
}

TEST(Pipeline, FileAndBytesAgree) {
  const File file("pipeline_same", named);
  const Result<semantics::Map> map = map_file(file.path(), {});
  ASSERT_TRUE(map);
  EXPECT_EQ(answers_of(*map), answers_of(*map_bytes(named, "model", {})));
}

TEST(Pipeline, ErrorsInOptionsComeBeforeErrorsInTheModel) {
  const std::string broken = "\x0a";
  EXPECT_EQ(code_of(map_bytes(broken, "m", {.strategy = "none"})), "U001");
  EXPECT_EQ(code_of(map_bytes(broken, "m", {.granularity = rules::Granularity::custom})), "U016");
  EXPECT_EQ(code_of(map_bytes(broken, "m", {.strategy = "htp"})), "U002");
  EXPECT_EQ(code_of(map_bytes(named, "m", {.strategy = "usage_based"})), "U004");
  EXPECT_EQ(code_of(map_bytes(named, "m", {.granularity = rules::Granularity::hf})), "U017");
  EXPECT_FALSE(map_bytes(broken, "m", {}));
}

TEST(Pipeline, ADerivedModelHasTheAnswersOfItsAncestor) {
  const File file("pipeline_derived",
                  bytes_of(graph({node("Relu", {"x"}, {"p"}), node("Exp", {"p"}, {"y"})}, {"x"}, {"y"})));
  const Result<semantics::Map> ancestor = map_bytes(named, "before", {});
  ASSERT_TRUE(ancestor);
  // The strategy needs a capture for the ancestor, and nothing for what is derived from it.
  for (const char* const strategy : {"auto", "htp"}) {
    const Result<semantics::Map> map = map_derived(*ancestor, file.path(), {.strategy = strategy});
    ASSERT_TRUE(map);
    EXPECT_EQ(answers_of(*map), (Answers{"fc transferred", "act transferred"}));
    ASSERT_NE(map->ancestor(), nullptr);
    EXPECT_EQ(map->ancestor()->nodes_of(1).front(), 1u);
  }
}

TEST(Pipeline, ModelsWithoutAnythingInCommonAreAnError) {
  const File file("pipeline_other", bytes_of(graph({node("Sin", {"u"}, {"v"})}, {"u"}, {"v"})));
  EXPECT_EQ(code_of(map_derived(*map_bytes(named, "before", {}), file.path(), {})), "D001");
}

// Answers for hand-made matches: Relu is of fc, Exp of act, and Neg is unknown.
class AncestorAnswersOf : public testing::Test {
 protected:
  std::string bytes = bytes_of(graph({node("Relu", {"x"}, {"a"}, "/fc/Relu"),
                                      node("Exp", {"a"}, {"b"}, "/act/Exp"), node("Neg", {"u"}, {"v"})},
                                     {"x", "u"}, {"b", "v"}));
  Result<semantics::Map> ancestor = map_bytes(bytes, "before", {});

  evidence::AncestorAnswers of(Origin origin, bool refuted = false) {
    transfer::Matches matches;
    matches.origins = {std::move(origin), {}, {}};
    matches.refuted = {refuted, false, false};
    return ancestor_answers(*ancestor, ancestor->model(), std::move(matches));
  }
};

TEST_F(AncestorAnswersOf, AFusedNodeHasAllModules) {
  const auto found = of({OriginKind::computes, transfer::Proof::inputs, {1, 0}});
  EXPECT_EQ(found.answers[0].no_answer, NoAnswer::none);
  ASSERT_EQ(found.modules_of(0).size(), 2u);
  EXPECT_EQ(found.tree->operator[](found.modules_of(0)[0]).path, "act");
  EXPECT_EQ(found.answers[0].max_confidence, ancestor->own_answer(1).confidence);
}

TEST_F(AncestorAnswersOf, UnanimousCandidatesAreAnAnswer) {
  EXPECT_EQ(of({OriginKind::ambiguous, transfer::Proof::inputs, {0, 0}}).answers[0].no_answer,
            NoAnswer::none);
  const auto several = of({OriginKind::ambiguous, transfer::Proof::inputs, {0, 1}});
  EXPECT_EQ(several.answers[0].no_answer, NoAnswer::ambiguous);
  EXPECT_TRUE(several.answers[0].strength.has_rivals);
  EXPECT_EQ(several.modules_of(0).size(), 2u);
}

TEST_F(AncestorAnswersOf, OneCandidateBesideUnknownOnesIsNoAnswer) {
  const auto found = of({OriginKind::feeds, transfer::Proof::inputs, {0, 2}});
  EXPECT_EQ(found.answers[0].no_answer, NoAnswer::feeds_several);
  EXPECT_EQ(found.modules_of(0).size(), 0u);
}

TEST_F(AncestorAnswersOf, ReasonsForNoAnswer) {
  EXPECT_EQ(of({}).answers[0].no_answer, NoAnswer::not_matched);
  EXPECT_EQ(of({}, true).answers[0].no_answer, NoAnswer::refuted);
  EXPECT_EQ(of({OriginKind::computes, transfer::Proof::inputs, {2}}).answers[0].no_answer,
            NoAnswer::unknown_in_ancestor);
}

TEST_F(AncestorAnswersOf, TheVerificationIsKept) {
  transfer::Matches matches;
  matches.verification = evidence::Verification{.claims = 3};
  EXPECT_EQ(ancestor_answers(*ancestor, ancestor->model(), std::move(matches)).verifications.size(), 1u);
}

}  // namespace
}  // namespace thence::pipeline
