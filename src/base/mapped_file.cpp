#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/changed_file.h"
#include "base/format.h"
#include "base/limits.h"
#include "base/memory_limit.h"
#include "base/open_file.h"
#include "base/text.h"
#include "base/write_all.h"

namespace thence::base {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

Error io_error(const std::string& path, const char* what, int number) {
  return {ErrorKind::input_output, "F001",
          base::format("{}: {}: {}", printable(path), what, std::strerror(number)),
          "check the path and its permissions"};
}

const char* file_type_name(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

Error not_a_file(const std::string& path, mode_t mode) {
  return {ErrorKind::bad_input, "F002",
          base::format("{}: {} is not a model file", printable(path), file_type_name(mode)),
          "give a file, or - to read standard input"};
}

// Whether neither a protobuf message nor JSON can begin with this byte, so that an endless stream is not
// copied.
bool cannot_begin_model(char first) {
  const unsigned wire_type = static_cast<unsigned char>(first) & 7;
  return first != '{' &&
         (static_cast<unsigned char>(first) < 8 || wire_type == 3 || wire_type == 4 || wire_type > 5);
}
Result<int> spool(int from) {
  std::FILE* file = std::tmpfile();
  while (file == nullptr && errno == EINTR) file = std::tmpfile();
  if (file == nullptr) return io_error("standard input", "no temporary file", errno);
  const int to = dup(fileno(file));
  std::fclose(file);
  std::array<char, 1 << 16> buffer;
  bool is_invalid = false;
  for (std::size_t total = 0;;) {
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got > 0 && total == 0) is_invalid = cannot_begin_model(buffer[0]);
    if (got > 0) total += static_cast<std::size_t>(got);
    if (is_invalid && total > max_invalid_stream_bytes) return to;
    if (got <= 0) {
      if (got == 0) return to;
      const int number = errno;
      close(to);
      return io_error("standard input", "cannot read", number);
    }
    if (!write_all(to, {buffer.data(), static_cast<std::size_t>(got)})) {
      const int number = errno;
      close(to);
      return io_error("standard input", "cannot keep a temporary copy", number);
    }
  }
}

}  // namespace

MappedFile::Mapping::~Mapping() {
  release_memory(data);
  // What was read until now may be parts of two versions.
  if (CutFile* const report = current_cut_file(); report != nullptr && found.is_changed(descriptor))
    report->set(path.c_str());
  if (size > 0) munmap(const_cast<char*>(data), size);
  if (descriptor >= 0) close(descriptor);
}

Result<MappedFile> MappedFile::map(int descriptor, const std::string& path) {
  struct stat info {};
  if (fstat(descriptor, &info) != 0) return io_error(path, "cannot look at", errno);
  if (!S_ISREG(info.st_mode)) return not_a_file(path, info.st_mode);
  MappedFile file;
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return file;
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED) return io_error(path, "cannot map", errno);
  file.mapping_ = std::make_shared<const Mapping>(static_cast<const char*>(data), size,
                                                  fcntl(descriptor, F_DUPFD_CLOEXEC, 0), path);
  watch_file(file.mapping_, file.descriptor(), path);
  return file;
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  if (path.find('\0') != std::string::npos) return io_error(path, "cannot open", ENOENT);
  // O_NONBLOCK: opening a pipe without a writer would block forever.
  const Descriptor descriptor(open_file(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.get() < 0) {
    const int number = errno;
    struct stat info {};
    if (number == ENXIO && stat(path.c_str(), &info) == 0) return not_a_file(path, info.st_mode);
    return io_error(path, "cannot open", number);
  }
  return map(descriptor.get(), path);
}

Result<MappedFile> MappedFile::standard_input() {
  struct stat info {};
  if (fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode)) return map(STDIN_FILENO, "standard input");
  if ((fcntl(STDIN_FILENO, F_GETFL) & O_ACCMODE) == O_WRONLY)
    return io_error("standard input", "cannot read", EBADF);
  const bool is_endless = S_ISCHR(info.st_mode) && isatty(STDIN_FILENO) == 0;  // such as /dev/zero
  if (S_ISDIR(info.st_mode) || is_endless) return map(STDIN_FILENO, "standard input");
  const Result<int> copy = spool(STDIN_FILENO);
  if (!copy) return copy.error();
  const Descriptor descriptor(*copy);
  return map(descriptor.get(), "standard input");
}

}  // namespace thence::base
