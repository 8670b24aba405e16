// Headers of safetensors files: which are read, and how the others are refused.
#include "capture/safetensors.h"

#include <gtest/gtest.h>

#include <chrono>

#include "safetensors.h"

namespace thence::capture {
namespace {

std::string entry(const std::string& key, std::size_t begin, std::size_t end) {
  return safetensors_entry(key, "U8", "[" + std::to_string(end - begin) + "]", begin, end);
}

void expect_refused(const std::string& bytes, const std::string& code, const std::string& word) {
  const Result<SafetensorsFile> file = SafetensorsFile::read(bytes, "x.safetensors");
  ASSERT_FALSE(file) << word;
  EXPECT_EQ(file.error().code, code) << file.error().text;
  EXPECT_EQ(file.error().kind, ErrorKind::bad_input);
  EXPECT_NE(file.error().text.find(word), std::string::npos) << file.error().text;
  EXPECT_TRUE(file.error().text.starts_with("x.safetensors: ")) << file.error().text;
  EXPECT_FALSE(file.error().hint.empty());
}

TEST(Safetensors, ReadsTypeShapeAndDataOfEachTensor) {
  const std::string bytes =
      safetensors_of(R"({"__metadata__":{"format":"pt"},)" + safetensors_entry("b", "F32", "[1,2]", 4, 12) +
                         "," + safetensors_entry("a", "BF16", "[2]", 0, 4) + "," +
                         safetensors_entry("none", "I64", "[0,3]", 12, 12) + "," +
                         safetensors_entry("number", "F64", "[]", 12, 20) + "}  ",
                     "AAAABBBBBBBBNNNNNNNN");
  const Result<SafetensorsFile> file = SafetensorsFile::read(bytes, "x");
  ASSERT_TRUE(file) << file.error().text;
  ASSERT_EQ(file->tensors().size(), 4u);
  const StoredTensor* const a = file->find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_STREQ(a->dtype, "bfloat16");
  EXPECT_EQ(a->width, 2u);
  EXPECT_EQ(a->data, "AAAA");
  EXPECT_EQ(file->find("b")->dims, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(file->find("b")->data, "BBBBBBBB");
  EXPECT_EQ(file->find("none")->data, "");
  EXPECT_EQ(file->find("number")->data, "NNNNNNNN");
  EXPECT_EQ(file->find("__metadata__"), nullptr);
}

TEST(Safetensors, ElementsOfLessThanAByteHaveNoWidth) {
  const std::string bytes = safetensors_of("{" + safetensors_entry("q", "F4", "[4]", 0, 2) + "}", "AB");
  const Result<SafetensorsFile> file = SafetensorsFile::read(bytes, "x");
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_EQ(file->find("q")->width, 0u);
  EXPECT_EQ(file->find("q")->data, "AB");
}

TEST(Safetensors, RefusesLengthsThatTheFileCannotHave) {
  expect_refused("", "H001", "has 0 bytes");
  expect_refused("1234567", "H001", "has 7 bytes");
  expect_refused(std::string("\x10\0\0\0\0\0\0\0{}", 10), "H001", "its header has 16 bytes");
  expect_refused(std::string(16, '\xff'), "H002", "more than 100000000");
}

TEST(Safetensors, RefusesHeadersThatAreNotJson) {
  expect_refused(safetensors_of("", ""), "H003", "not a JSON object");
  expect_refused(safetensors_of("[]", ""), "H003", "not a JSON object");
  expect_refused(safetensors_of("{\"a\":", ""), "H003", "not JSON");
  expect_refused(safetensors_of("{} x", ""), "H003", "not JSON");
  std::string deep = "{\"a\":";
  for (int i = 0; i < 100'000; ++i) deep += '[';
  expect_refused(safetensors_of(deep, ""), "H003", "not JSON");
  expect_refused(safetensors_of("{\"\xff\":1}", ""), "H003", "not JSON");
}

TEST(Safetensors, RefusesMalformedEntries) {
  for (const char* value : {
           "1",
           "{}",
           R"({"dtype":"U8","shape":[1]})",
           R"({"dtype":"U8","shape":[1],"data_offsets":[0,1],"dtype":"U8"})",
           R"({"dtype":"U9","shape":[1],"data_offsets":[0,1]})",
           R"({"dtype":8,"shape":[1],"data_offsets":[0,1]})",
           R"({"dtype":"U8","shape":1,"data_offsets":[0,1]})",
           R"({"dtype":"U8","shape":[-1],"data_offsets":[0,1]})",
           R"({"dtype":"U8","shape":[1.5],"data_offsets":[0,1]})",
           R"({"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,1]})",
           R"({"dtype":"U8","shape":[1],"data_offsets":[1,0]})",
           R"({"dtype":"U8","shape":[1],"data_offsets":[0]})",
           R"({"dtype":"U8","shape":[1],"data_offsets":[0,1,2]})",
           R"({"dtype":"U8","shape":[1],"data_offsets":[-1,0]})",
       })
    expect_refused(safetensors_of(std::string("{\"a\":") + value + "}", "A"), "H004", "tensor 'a'");
  expect_refused(safetensors_of(R"({"__metadata__":{"a":1}})", ""), "H004", "__metadata__");
}

TEST(Safetensors, RefusesKeysThatAreThereTwice) {
  expect_refused(
      safetensors_of("{" + entry("a", 0, 1) + "," + entry("b", 1, 2) + "," + entry("a", 2, 3) + "}", "ABC"),
      "H005", "'a' is there twice");
  expect_refused(safetensors_of(R"({"__metadata__":{},"__metadata__":{}})", ""), "H005", "__metadata__");
}

TEST(Safetensors, RefusesSizesThatDoNotFitTheType) {
  expect_refused(safetensors_of("{" + safetensors_entry("a", "F32", "[2]", 0, 4) + "}", "AAAA"), "H006",
                 "has 4 bytes of data");
  expect_refused(safetensors_of("{" + safetensors_entry("a", "F4", "[3]", 0, 1) + "}", "A"), "H006",
                 "need 12 bits");
}

TEST(Safetensors, RefusesDataOutsideOverlappingAndWithHoles) {
  expect_refused(safetensors_of("{" + entry("a", 0, 5) + "}", "AAAA"), "H007", "ends at byte 5");
  expect_refused(safetensors_of("{" + entry("a", 0, 3) + "," + entry("b", 2, 4) + "}", "AAAB"), "H007",
                 "tensor 'b': its data overlaps");
  expect_refused(safetensors_of("{" + entry("a", 0, 1) + "," + entry("b", 2, 4) + "}", "AxBB"), "H007",
                 "1 bytes before its data");
  expect_refused(safetensors_of("{" + entry("a", 0, 1) + "}", "Ax"), "H007", "the last 1 bytes");
  expect_refused(safetensors_of("{}", "x"), "H007", "the last 1 bytes");
}

TEST(Safetensors, ShowsTheStartOfALongKey) {
  const std::string key(100'000, 'k');
  const Result<SafetensorsFile> file = SafetensorsFile::read(safetensors_of("{\"" + key + "\":1}", ""), "x");
  ASSERT_FALSE(file);
  EXPECT_LT(file.error().text.size(), 400u);
}

// A model of 10,000 layers.
TEST(Safetensors, ReadsManyTensorsInTime) {
  constexpr std::size_t count = 100'000;
  std::string header = "{", data;
  for (std::size_t i = 0; i < count; ++i)
    header += (i > 0 ? "," : "") + entry("model.layers." + std::to_string(i / 10) + ".block.projection." +
                                             std::to_string(i) + ".weight",
                                         i, i + 1);
  data.assign(count, 'x');
  const std::string bytes = safetensors_of(header + "}", data);
  const auto start = std::chrono::steady_clock::now();
  const Result<SafetensorsFile> file = SafetensorsFile::read(bytes, "x");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->tensors().size(), count);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace thence::capture
