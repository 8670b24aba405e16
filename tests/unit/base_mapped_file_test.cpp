// A file is mapped; any other kind of path is rejected with an error, without blocking.
#include "base/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/changed_file.h"

namespace thence::base {
namespace {

namespace fs = std::filesystem;

class MappedFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "thence_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }
  void expect_refused(const std::string& path, ErrorKind kind, const std::string& code,
                      const std::string& word) {
    const Result<MappedFile> file = MappedFile::open(path);
    ASSERT_FALSE(file) << path;
    EXPECT_EQ(file.error().kind, kind);
    EXPECT_EQ(file.error().code, code);
    EXPECT_NE(file.error().text.find(word), std::string::npos) << file.error().text;
    EXPECT_FALSE(file.error().hint.empty());
  }

  fs::path folder_;
};

TEST_F(MappedFileTest, ReadsTheBytesOfAFile) {
  const std::string bytes("a\0b\xff\n", 5);
  const Result<MappedFile> file = MappedFile::open(write("model.onnx", bytes));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->bytes(), bytes);
}

TEST_F(MappedFileTest, CopiesShareTheMapping) {
  const std::string path = write("model.onnx", std::string(100000, 'x'));
  MappedFile kept;
  {
    const Result<MappedFile> file = MappedFile::open(path);
    ASSERT_TRUE(file);
    kept = *file;
  }
  fs::remove(path);
  EXPECT_EQ(kept.bytes(), std::string(100000, 'x'));
}

TEST_F(MappedFileTest, AnEmptyFileHasNoBytes) {
  const Result<MappedFile> file = MappedFile::open(write("empty.onnx", ""));
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->bytes().empty());
}

TEST_F(MappedFileTest, AMissingFileIsAnInputFailure) {
  expect_refused((folder_ / "none.onnx").string(), ErrorKind::input_output, "F001", "No such file");
  expect_refused("", ErrorKind::input_output, "F001", "No such file");
}

TEST_F(MappedFileTest, APathIsNotCutAtAZeroByte) {
  const std::string path = write("model.onnx", "x");
  expect_refused(path + std::string("\0.txt", 5), ErrorKind::input_output, "F001", "model.onnx\\x00.txt");
}

TEST_F(MappedFileTest, AFolderIsBadInput) {
  expect_refused(folder_.string(), ErrorKind::bad_input, "F002", "a folder");
}

TEST_F(MappedFileTest, APipeIsRefusedWithoutWaitingForAWriter) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  expect_refused(path, ErrorKind::bad_input, "F002", "a pipe");
}

TEST_F(MappedFileTest, ADeviceIsBadInput) {
  expect_refused("/dev/zero", ErrorKind::bad_input, "F002", "a device");
}

TEST_F(MappedFileTest, ASocketIsBadInput) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (folder_ / "socket").string();
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  expect_refused(path, ErrorKind::bad_input, "F002", "a socket");
  close(descriptor);
}

TEST_F(MappedFileTest, AFileWithoutPermissionIsAnInputFailure) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string path = write("secret.onnx", "x");
  fs::permissions(path, fs::perms::none);
  expect_refused(path, ErrorKind::input_output, "F001", "Permission denied");
}

TEST_F(MappedFileTest, MessagesEscapePaths) {
  expect_refused((folder_ / "a\x1b[2J").string(), ErrorKind::input_output, "F001", "a\\x1b[2J");
}

// Puts something else in the place of standard input for the length of a test.
class StandardInput {
 public:
  explicit StandardInput(int descriptor) : saved_(dup(STDIN_FILENO)) { dup2(descriptor, STDIN_FILENO); }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() {
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }

 private:
  int saved_;
};

TEST_F(MappedFileTest, StandardInputMayBeAFile) {
  std::FILE* file = std::fopen(write("model.onnx", "hello").c_str(), "rb");
  const StandardInput input(fileno(file));
  std::fclose(file);
  const Result<MappedFile> mapped = MappedFile::standard_input();
  ASSERT_TRUE(mapped);
  EXPECT_EQ(mapped->bytes(), "hello");
}

TEST_F(MappedFileTest, StandardInputMayBeAPipeOfAnyLength) {
  const std::string bytes(300000, 'p');
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const StandardInput input(ends[0]);
  close(ends[0]);
  std::thread writer([&] {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t put = ::write(ends[1], bytes.data() + done, bytes.size() - done);
      if (put < 0) break;
      done += static_cast<std::size_t>(put);
    }
    close(ends[1]);
  });
  const Result<MappedFile> mapped = MappedFile::standard_input();
  writer.join();
  ASSERT_TRUE(mapped);
  EXPECT_EQ(mapped->bytes(), bytes);
}

TEST_F(MappedFileTest, StandardInputMayBeAFolderOrClosed) {
  const StandardInput input(STDOUT_FILENO);  // put back at the end
  const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY);
  dup2(folder, STDIN_FILENO);
  close(folder);
  const Result<MappedFile> of_folder = MappedFile::standard_input();
  ASSERT_FALSE(of_folder);
  EXPECT_EQ(of_folder.error().code, "F002");

  close(STDIN_FILENO);
  const Result<MappedFile> of_nothing = MappedFile::standard_input();
  ASSERT_FALSE(of_nothing);
  EXPECT_EQ(of_nothing.error().kind, ErrorKind::input_output);
}

TEST_F(MappedFileTest, FindsAFileThatWasWritten) {
  const std::string path = write("model.onnx", "abc");
  {
    const Result<MappedFile> file = MappedFile::open(path);
    EXPECT_FALSE(find_changed_file());
    fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(1));
    EXPECT_EQ(find_changed_file()->code, "F004");
  }
  EXPECT_FALSE(find_changed_file());  // it is no longer in use
}

TEST_F(MappedFileTest, AReplacedFileIsNotChanged) {
  const Result<MappedFile> file = MappedFile::open(write("model.onnx", "abc"));
  fs::rename(write("new.onnx", "abcd"), folder_ / "model.onnx");
  EXPECT_FALSE(find_changed_file());
  EXPECT_EQ(file->bytes(), "abc");
}

}  // namespace
}  // namespace thence::base
