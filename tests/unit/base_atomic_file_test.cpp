// Files that are replaced as a whole, alone and together.
#include "base/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "base/format.h"

namespace thence::base {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public testing::Test {
 protected:
  AtomicFile() {
    std::string name = fs::temp_directory_path() / "thence-test-XXXXXX";
    folder = mkdtemp(name.data());
  }
  ~AtomicFile() override { fs::remove_all(folder); }

  void put(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }
  std::string text(const std::string& name) const {
    std::ostringstream found;
    found << std::ifstream(folder / name).rdbuf();
    return found.str();
  }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) found.insert(entry.path().filename());
    return found;
  }
  FileToWrite file(const std::string& name, const std::string& content) const {
    return {folder / name, [content](Writer& out) { out.add(content); }};
  }

  fs::path folder;
};

TEST_F(AtomicFile, KeepsTheModeOfAFileThatItReplaces) {
  put("a", "old");
  chmod((folder / "a").c_str(), 0640);
  EXPECT_FALSE(write_atomically(folder / "a", [](Writer& out) { out.add("new"); }));
  struct stat info {};
  ASSERT_EQ(stat((folder / "a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
  EXPECT_EQ(text("a"), "new");
}

// The umask belongs to the process: a thread that changed it to read it would change the modes of others.
TEST_F(AtomicFile, ThreadsGiveNewFilesTheModeOfTheProcess) {
  constexpr int threads = 8, files = 100;
  const mode_t before = umask(027);
  std::vector<std::thread> writers;
  for (int writer = 0; writer < threads; ++writer)
    writers.emplace_back([this, writer] {
      for (int number = 0; number < files; ++number)
        EXPECT_FALSE(write_atomically(folder / base::format("{}.{}", writer, number),
                                      [](Writer& out) { out.add("new"); }));
    });
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(umask(before), 027u);
  for (const std::string& name : names()) {
    struct stat info {};
    ASSERT_EQ(stat((folder / name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0640u) << name;
  }
  EXPECT_EQ(names().size(), static_cast<std::size_t>(threads * files));
}

TEST_F(AtomicFile, WritesFilesTogether) {
  put("b", "old");
  EXPECT_FALSE(write_together({file("a", "1"), file("b", "2")}));
  EXPECT_EQ(text("a") + text("b"), "12");
  EXPECT_FALSE(write_together({file("a", "3"), file("b", "4")}));
  EXPECT_EQ(text("a") + text("b"), "34");
  EXPECT_EQ(names(), (std::set<std::string>{"a", "b"}));
}

TEST_F(AtomicFile, RestoresAllFilesIfTheLastCannotBeReplaced) {
  put("a", "old");
  fs::create_directory(folder / "b");
  EXPECT_TRUE(write_together({file("new", "1"), file("a", "2"), file("b", "3")}));
  EXPECT_EQ(text("a"), "old");
  EXPECT_EQ(names(), (std::set<std::string>{"a", "b"}));
}

TEST_F(AtomicFile, LeavesNothingIfWritingThrows) {
  put("a", "old");
  EXPECT_THROW(
      (void)write_together({file("b", "1"), {folder / "a", [](Writer&) { throw std::bad_alloc(); }}}),
      std::bad_alloc);
  EXPECT_EQ(text("a"), "old");
  EXPECT_EQ(names(), std::set<std::string>{"a"});
}

}  // namespace
}  // namespace thence::base
