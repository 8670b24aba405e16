// Parameters whose data lies in the files of a checkpoint.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "capture/capture.h"
#include "onnx/content_hash.h"
#include "safetensors.h"

namespace thence::capture {
namespace {

class StoredWeights : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        testing::TempDir() + "checkpoint." + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    write("one.safetensors", safetensors_of({{"a", "0123"}, {"b", "4567"}}));
    write("two.safetensors", safetensors_of({{"c", "89"}}));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
  }

  // The document of one parameter.
  Result<Capture> read(const std::string& pieces, const std::string& shape,
                       const std::string& files = R"("one.safetensors","two.safetensors")") {
    return read_weights(R"({"version":1,"files":[)" + files +
                            R"(],"parameters":[{"path":"fc.weight","pieces":[)" + pieces + "]}]}",
                        shape);
  }

  Result<Capture> read_weights(const std::string& weights, const std::string& shape = "[4]") {
    description_ =
        R"({"schema":"thence.capture/1","sections":{"hierarchy":{"version":1,"modules":[{"path":""},)"
        R"({"path":"fc"}],"parameters":[{"path":"fc.weight","dtype":"float32","shape":)" +
        shape + R"(}]},"weights":)" + weights + "}}";
    return read_checkpoint({folder_, description_}, diagnostics_);
  }

  std::string codes() const {
    std::string text;
    for (const auto& [code, count] : diagnostics_.counts()) text += code;
    return text;
  }

  std::string folder_, description_;
  Diagnostics diagnostics_;
};

TEST_F(StoredWeights, OnePieceIsTheData) {
  const Result<Capture> capture = read(R"({"file":0,"key":"b"})", "[2,2]");
  ASSERT_TRUE(capture) << capture.error().text;
  const CapturedParameter& parameter = capture->parameters.at(0);
  EXPECT_EQ(parameter.data(), "4567");
  EXPECT_EQ(parameter.dtype, "uint8") << "that of the stored data";
  EXPECT_EQ(parameter.width, 1u);
  EXPECT_EQ(parameter.content_hash(), onnx::hash_content("4567", 1).unordered);
  EXPECT_TRUE(diagnostics_.empty());
}

TEST_F(StoredWeights, PiecesAreInOrderAndMayBeRanges) {
  const Result<Capture> capture =
      read(R"({"file":1,"key":"c"},{"file":0,"key":"b","elements":[1,3]},{"file":0,"key":"a"})", "[2,4]");
  ASSERT_TRUE(capture);
  const CapturedParameter& parameter = capture->parameters.at(0);
  EXPECT_EQ(parameter.pieces, (std::vector<std::string_view>{"89", "56", "0123"}));
  EXPECT_EQ(parameter.data(), "");
  EXPECT_EQ(parameter.data_elements(), 8u);
  EXPECT_EQ(parameter.content_hash(), onnx::hash_content("89560123", 1).unordered);
}

TEST_F(StoredWeights, ProposalsThatDoNotFitAreDiagnostics) {
  for (const char* pieces : {
           R"({"file":0,"key":"a"},{"file":0,"key":"b"})",
           R"({"file":0,"key":"c"})",
           R"({"file":2,"key":"a"})",
           R"({"key":"a"})",
           R"({"file":0,"key":"a","elements":[0,5]})",
           R"({"file":0,"key":"a","elements":[3,1]})",
           R"({"file":0,"key":"a","elements":[18446744073709551615,18446744073709551615]})",
       }) {
    diagnostics_ = {};
    const Result<Capture> capture = read(pieces, "[4]");
    ASSERT_TRUE(capture) << pieces;
    EXPECT_TRUE(capture->parameters.at(0).pieces.empty()) << pieces;
    EXPECT_EQ(codes(), "C011") << pieces;
    EXPECT_EQ(capture->parameters.at(0).dtype, "float32");
  }
}

TEST_F(StoredWeights, PiecesOfSeveralTypesAreNoData) {
  write("two.safetensors", safetensors_of("{" + safetensors_entry("c", "I8", "[2]", 0, 2) + "}", "89"));
  const Result<Capture> capture = read(R"({"file":0,"key":"a"},{"file":1,"key":"c"})", "[6]");
  ASSERT_TRUE(capture);
  EXPECT_TRUE(capture->parameters.at(0).pieces.empty());
  EXPECT_EQ(codes(), "C011");
}

TEST_F(StoredWeights, AMissingFileLeavesItsParametersWithoutData) {
  const Result<Capture> capture =
      read(R"({"file":1,"key":"a"})", "[4]", R"("one.safetensors","gone.safetensors")");
  ASSERT_TRUE(capture);
  EXPECT_TRUE(capture->parameters.at(0).pieces.empty());
  EXPECT_EQ(codes(), "C009");
}

TEST_F(StoredWeights, WithoutAnyFileItIsAnError) {
  const Result<Capture> capture =
      read(R"({"file":0,"key":"a"})", "[4]", R"("gone.safetensors","also.safetensors")");
  ASSERT_FALSE(capture);
  EXPECT_EQ(capture.error().code, "C008");
  EXPECT_NE(capture.error().text.find("gone.safetensors"), std::string::npos);
}

TEST_F(StoredWeights, ADamagedFileIsAnError) {
  write("two.safetensors", "damaged");
  const Result<Capture> capture = read(R"({"file":0,"key":"a"})", "[4]");
  ASSERT_FALSE(capture);
  EXPECT_EQ(capture.error().code, "H001");
}

TEST_F(StoredWeights, FilesOutsideOfItAreRefused) {
  for (const char* files :
       {R"("../x.safetensors")", R"("/x.safetensors")", R"("..")", R"("")", "1", R"("a","a")"}) {
    const Result<Capture> capture = read(R"({"file":0,"key":"a"})", "[4]", files);
    ASSERT_FALSE(capture) << files;
    EXPECT_EQ(capture.error().code, "C003") << files;
  }
}

TEST_F(StoredWeights, WithoutWeightsItHasNamesAndShapes) {
  const Result<Capture> capture = read_weights(R"({"version":1,"unread":["model.bin"]})");
  ASSERT_TRUE(capture);
  EXPECT_EQ(codes(), "C010");
  EXPECT_NE(diagnostics_.kept().at(0).text.find("model.bin is not read"), std::string::npos);
  EXPECT_EQ(capture->parameters.at(0).data_elements(), 0u);
  EXPECT_EQ(capture->parameters.at(0).content_hash(), std::nullopt);
}

// Otherwise a capture from elsewhere could name files of this machine.
TEST_F(StoredWeights, ACaptureNamesNoFiles) {
  ASSERT_TRUE(read(R"({"file":0,"key":"a"})", "[4]"));
  const Result<Capture> capture = read_capture(description_, "x", diagnostics_);
  ASSERT_TRUE(capture);
  EXPECT_TRUE(capture->parameters.at(0).pieces.empty());
}

}  // namespace
}  // namespace thence::capture
