// Archives are read in place; an archive with a contradiction is rejected with an error.
#include "base/zip_archive.h"

#include <gtest/gtest.h>

#include "zip.h"

namespace thence::base {
namespace {

const std::vector<std::pair<std::string, std::string>> two = {{"a/first", "one"}, {"a/second", ""}};

void expect_damaged(const std::string& bytes, const std::string& word) {
  const Result<ZipArchive> archive = ZipArchive::open(bytes, "x.pt2");
  ASSERT_FALSE(archive) << word;
  EXPECT_EQ(archive.error().code, "A001");
  EXPECT_NE(archive.error().text.find(word), std::string::npos) << archive.error().text;
  EXPECT_TRUE(archive.error().text.starts_with("x.pt2: "));
}

TEST(ZipArchive, EntriesPointIntoTheArchive) {
  for (const ZipOptions& options :
       {ZipOptions{}, ZipOptions{.large = true}, ZipOptions{.comment = "PK\x05\x06"}}) {
    const std::string bytes = zip_of(two, options);
    ASSERT_TRUE(ZipArchive::has_signature(bytes));
    const Result<ZipArchive> archive = ZipArchive::open(bytes, "x.pt2");
    ASSERT_TRUE(archive) << archive.error().text;
    ASSERT_EQ(archive->entries().size(), 2u);
    const ZipArchive::Entry* const entry = archive->find("a/first");
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->data, "one");
    EXPECT_TRUE(entry->stored);
    EXPECT_GE(entry->data.data(), bytes.data());
    EXPECT_LT(entry->data.data(), bytes.data() + bytes.size());
    EXPECT_EQ(archive->find("a/third"), nullptr);
  }
}

TEST(ZipArchive, MarksCompressedEntries) {
  const std::string bytes = zip_of(two, {.method = 8});
  const Result<ZipArchive> archive = ZipArchive::open(bytes, "x.pt2");
  ASSERT_TRUE(archive);
  EXPECT_FALSE(archive->find("a/first")->stored);
}

TEST(ZipArchive, RejectsTruncation) {
  for (const ZipOptions& options : {ZipOptions{}, ZipOptions{.large = true}}) {
    const std::string bytes = zip_of(two, options);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(ZipArchive::open(bytes.substr(0, size), "x.pt2")) << size;
  }
}

TEST(ZipArchive, SurvivesAnyChangedByte) {
  for (const ZipOptions& options : {ZipOptions{}, ZipOptions{.large = true}}) {
    const std::string bytes = zip_of(two, options);
    for (std::size_t at = 0; at < bytes.size(); ++at)
      for (const char lie : {'\0', '\x01', '\x7f', '\xff'}) {
        std::string other = bytes;
        other[at] = lie;
        const Result<ZipArchive> archive = ZipArchive::open(other, "x.pt2");
        if (!archive) continue;
        for (const ZipArchive::Entry& entry : archive->entries()) {
          EXPECT_GE(entry.data.data(), other.data());
          EXPECT_LE(entry.data.data() + entry.data.size(), other.data() + other.size());
        }
      }
  }
}

TEST(ZipArchive, ErrorsNameTheContradiction) {
  expect_damaged("PK\x03\x04", "no directory");
  expect_damaged(zip_of(two, {.more_size = 1000}), "the entry 'a/first' does not match the directory");
  expect_damaged(zip_of(two, {.more_size = 2}), "the entry 'a/second' lies over another");
  expect_damaged(zip_of({{"a", "1"}}, {.more_size = 40}), "the entry 'a' lies over the directory");
  expect_damaged(zip_of({{"a", "1"}, {"a", "2"}}), "the entry 'a' is there twice");
  expect_damaged(zip_of({{std::string(600, 'a'), "1"}}), "its directory does not decode");
  std::string bytes = zip_of(two);
  bytes.replace(bytes.size() - 6, 4, little(0xfffffff0, 4));
  expect_damaged(bytes, "its directory lies outside of it");
  bytes = zip_of(two);
  bytes.replace(bytes.size() - 12, 2, little(3, 2));
  expect_damaged(bytes, "its directory does not decode");
}

}  // namespace
}  // namespace thence::base
