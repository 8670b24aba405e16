#include "base/memory_image.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/mapped_file.h"

namespace thence::base {
namespace {

std::string joined(const std::vector<std::string_view>& pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

// Pieces of a file at any offset, between others of any length.
TEST(MemoryImage, HasThePiecesInOrder) {
  std::string content;
  for (std::size_t i = 0; content.size() < (std::size_t{3} << 20); ++i) content += std::to_string(i) + ",";
  char path[] = "/tmp/thence-image-XXXXXX";
  const int descriptor = mkstemp(path);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(write(descriptor, content.data(), content.size()), static_cast<ssize_t>(content.size()));
  const Result<MappedFile> file = MappedFile::open(path);
  ASSERT_TRUE(file);
  for (const std::size_t offset : {0, 1, 4095, 4096, 70'001})
    for (const std::size_t before : {0, 1, 5000}) {
      const std::string head(before, 'h');
      const std::vector<std::string_view> pieces = {head,
                                                    file->bytes().substr(offset, (std::size_t{2} << 20) + 17),
                                                    "", file->bytes().substr(0, 100), "t"};
      for (const int source : {file->descriptor(), -1}) {
        const Result<MemoryImage> image = MemoryImage::assemble(pieces, file->bytes(), source);
        ASSERT_TRUE(image);
        EXPECT_TRUE(image->bytes() == joined(pieces)) << offset << " " << before << " " << source;
      }
    }
  close(descriptor);
  unlink(path);
}

TEST(MemoryImage, OfNothingIsEmpty) {
  const Result<MemoryImage> image = MemoryImage::assemble({}, "", -1);
  ASSERT_TRUE(image);
  EXPECT_EQ(image->bytes(), "");
}

}  // namespace
}  // namespace thence::base
