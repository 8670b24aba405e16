#include "base/cut_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/mapped_file.h"
#include "base/private_pages.h"

namespace thence::base {
namespace {

constexpr std::size_t file_bytes = std::size_t{1} << 20;

class CutFileTest : public testing::Test {
 protected:
  CutFileTest() {
    std::ofstream(path_) << std::string(file_bytes, 'x');
    file_ = *MappedFile::open(path_);
  }
  ~CutFileTest() override { std::filesystem::remove(path_); }
  void cut(std::size_t to = 0) const { std::filesystem::resize_file(path_, to); }
  char last() const { return *static_cast<const volatile char*>(&file_.bytes().back()); }

  std::string path_ = testing::TempDir() + "thence_cut_file_test." + std::to_string(getpid());
  MappedFile file_;
};

TEST_F(CutFileTest, MissingPagesReadAsZeros) {
  cut();
  const CutFileGuard guard;
  EXPECT_FALSE(guard.error());
  EXPECT_EQ(last(), '\0');
  ASSERT_TRUE(guard.error());
  EXPECT_EQ(guard.error()->code, "F004");
  EXPECT_NE(guard.error()->text.find(path_), std::string::npos);
}

TEST_F(CutFileTest, ThreadsReportToTheGuardOfTheirWork) {
  cut();
  const CutFileGuard guard, other;
  {
    const CutFileGuard inner;
    std::jthread worker([&, cut = current_cut_file()] {
      const CutFileGuard of_worker(cut);
      EXPECT_EQ(last(), '\0');
    });
    worker.join();
    EXPECT_TRUE(inner.error());
  }
  EXPECT_FALSE(other.error());
  EXPECT_FALSE(guard.error());
}

TEST_F(CutFileTest, PagesAreCopiedThatAreGone) {
  cut(file_bytes / 2);
  const CutFileGuard guard;
  EXPECT_FALSE(make_private(file_.bytes(), {}));
  EXPECT_TRUE(guard.error());
}

TEST_F(CutFileTest, AChangeIsFoundWhenTheFileIsClosed) {
  const CutFileGuard guard;
  cut(file_bytes - 1);  // no page is gone
  EXPECT_EQ(last(), '\0');
  EXPECT_FALSE(guard.error());
  file_ = {};
  EXPECT_TRUE(guard.error());
}

TEST_F(CutFileTest, AFileThatDoesNotChangeIsNone) {
  const CutFileGuard guard;
  EXPECT_EQ(last(), 'x');
  file_ = {};
  EXPECT_FALSE(guard.error());
}

TEST_F(CutFileTest, WithoutAGuardTheProcessEnds) {
  cut();
  EXPECT_DEATH((void)last(), "");
  EXPECT_DEATH(
      {
        { const CutFileGuard over; }
        (void)last();
      },
      "");
}

}  // namespace
}  // namespace thence::base
