#include "base/private_pages.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/mapped_file.h"

namespace thence::base {
namespace {

constexpr std::size_t page = 4096;

// Writes 20 pages of `a`, maps them, keeps all but some, and writes `b` over them.
std::string changed_after(const std::vector<ByteRange>& except) {
  char path[] = "/tmp/thence-pages-XXXXXX";
  const int descriptor = mkstemp(path);
  const std::string before(20 * page, 'a'), after(20 * page, 'b');
  EXPECT_EQ(pwrite(descriptor, before.data(), before.size(), 0), static_cast<ssize_t>(before.size()));
  const Result<MappedFile> file = MappedFile::open(path);
  EXPECT_FALSE(make_private(file->bytes(), except));
  EXPECT_EQ(pwrite(descriptor, after.data(), after.size(), 0), static_cast<ssize_t>(after.size()));
  std::string pages;
  for (std::size_t at = 0; at < before.size(); at += page) pages += file->bytes()[at];
  close(descriptor);
  std::remove(path);
  return pages;
}

TEST(PrivatePages, StayAsTheyWere) { EXPECT_EQ(changed_after({}), std::string(20, 'a')); }

TEST(PrivatePages, PagesWithinARangeAreNotCopied) {
  EXPECT_EQ(changed_after({{3 * page + 1, 7 * page}}), "aaaabbbaaaaaaaaaaaaa");
  EXPECT_EQ(changed_after({{3 * page, 7 * page - 1}, {9 * page, 11 * page}}), "aaabbbaaabbaaaaaaaaa");
  EXPECT_EQ(changed_after({{0, 20 * page}}), std::string(20, 'b'));
}

TEST(PrivatePages, RangesWithinOnePage) {
  EXPECT_EQ(changed_after({{1, 2}, {3, 4}, {page + 5, page + 6}, {page + 7, 3 * page}}),
            "aa"
            "b"
            "aaaaaaaaaaaaaaaaa");
}

TEST(PrivatePages, NothingToCopy) { EXPECT_FALSE(make_private("", {})); }

}  // namespace
}  // namespace thence::base
