#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/format.h"
#include "base/text.h"
#include "base/write_all.h"

namespace thence::base {
namespace {

Error failure(const std::string& path, const char* what, int number) {
  return {ErrorKind::input_output, "F003",
          base::format("{}: {}: {}", printable(path), what, std::strerror(number)),
          "check the folder's permissions and free space"};
}

// Starts writing to disk while more data is produced, so that little is left for the final flush.
constexpr std::size_t writeback_bytes = 16 << 20;
void begin_writeback(int descriptor) { (void)sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE); }

// Copies inside the kernel if possible, which may even share disk blocks.
bool copy_all(int descriptor, const FilePiece& piece) {
  auto offset = static_cast<off64_t>(piece.offset);
  std::string_view left = piece.bytes;
  while (!left.empty()) {
    const ssize_t put = copy_file_range(piece.descriptor, &offset, descriptor, nullptr,
                                        std::min(left.size(), writeback_bytes), 0);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO)) return false;
    if (put <= 0) return write_all(descriptor, left);  // not supported between these two files
    left.remove_prefix(static_cast<std::size_t>(put));
    if (left.size() >= writeback_bytes) begin_writeback(descriptor);
  }
  return true;
}

// The path of the temporary file while it exists. A signal handler may read it at any time.
std::array<char, 4096> temporary_path{};
volatile std::sig_atomic_t has_temporary_file = 0;

void remember_temporary_file(const std::string& temporary) {
  if (temporary.size() >= temporary_path.size()) return;
  std::copy_n(temporary.c_str(), temporary.size() + 1, temporary_path.begin());
  has_temporary_file = 1;
}

// Returns errno of the failed write, or 0.
int write_to(int descriptor, const std::function<void(Writer&)>& write) {
  int number = 0;
  const auto keep_errno = [&](bool done) {
    if (!done) number = errno;
    return done;
  };
  std::size_t unsynced = 0;
  const auto write_piece = [&](std::string_view piece) {
    if (!write_all(descriptor, piece)) return false;
    if ((unsynced += piece.size()) >= writeback_bytes) {
      begin_writeback(descriptor);
      unsynced = 0;
    }
    return true;
  };
  Writer out([&](std::string_view piece) { return keep_errno(write_piece(piece)); },
             [&](const FilePiece& piece) { return keep_errno(copy_all(descriptor, piece)); });
  write(out);
  out.flush();
  return number;
}

// Makes the new name survive a power failure. The file is complete in any case, so failure is not an error.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)fsync(descriptor);
  (void)close(descriptor);
}

// A symbolic link is kept, and its target is replaced.
std::filesystem::path resolve_symlink(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::is_symlink(path, ignored)
                                         ? std::filesystem::weakly_canonical(path, ignored)
                                         : std::filesystem::path(path);
  return real.empty() ? std::filesystem::path(path) : real;
}

// Gives a new file the owner and mode of the file that it replaces, and flushes it to disk. Returns the error
// number.
int finish_file(int descriptor, const std::filesystem::path& target) {
  struct stat old {};
  const mode_t mask = umask(0);
  umask(mask);
  // The target is not a link, or is a link that is replaced and whose owner and mode are irrelevant. New
  // content does not inherit setuid and setgid bits.
  const bool replaces = lstat(target.c_str(), &old) == 0 && S_ISREG(old.st_mode);
  const mode_t mode = replaces ? old.st_mode & 0777 : 0666 & ~mask;
  // The owner is kept if permitted; most users may not change the owner of a file.
  if (replaces && fchown(descriptor, old.st_uid, old.st_gid) != 0 && errno != EPERM) return errno;
  return fchmod(descriptor, mode) != 0 || fsync(descriptor) != 0 ? errno : 0;
}

// Lets `make` fill a temporary file, given as descriptor and path, and moves it to `target`.
std::optional<Error> replace_file(const std::string& path, const std::filesystem::path& target,
                                  const std::function<std::optional<Error>(int, const std::string&)>& make) {
  // In the same folder, so that it can be renamed. The name is cut, because a long name could exceed the
  // limit.
  std::string temporary = target.parent_path() / (target.filename().string().substr(0, 200) + ".XXXXXX");
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return failure(path, "cannot write", errno);
  remember_temporary_file(temporary);
  std::optional<Error> error = make(descriptor, temporary);
  int number = error ? 0 : finish_file(descriptor, target);
  if (close(descriptor) != 0 && number == 0) number = errno;
  if (!error && number == 0 && rename(temporary.c_str(), target.c_str()) != 0) number = errno;
  has_temporary_file = 0;
  if (!error && number == 0) {
    sync_folder(target.parent_path());
    return std::nullopt;
  }
  unlink(temporary.c_str());
  return error ? error : failure(path, "cannot write", number);
}

}  // namespace

void remove_temporary_file() {
  if (has_temporary_file != 0) unlink(temporary_path.data());
}

bool is_pipe_or_device(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

std::optional<Error> write_atomically(const std::string& path, const std::function<void(Writer&)>& write,
                                      SymlinkPolicy policy) {
  const std::filesystem::path target =
      policy == SymlinkPolicy::follow ? resolve_symlink(path) : std::filesystem::path(path);
  if (policy == SymlinkPolicy::follow && is_pipe_or_device(target)) {
    const int descriptor = open(target.c_str(), O_WRONLY | O_CLOEXEC);
    int number = descriptor < 0 ? errno : write_to(descriptor, write);
    if (descriptor >= 0 && close(descriptor) != 0 && number == 0) number = errno;
    if (number == 0 || number == EPIPE) return std::nullopt;
    return failure(path, "cannot write", number);
  }
  return replace_file(path, target, [&](int descriptor, const std::string&) -> std::optional<Error> {
    const int number = write_to(descriptor, write);
    return number == 0 ? std::nullopt : std::optional(failure(path, "cannot write", number));
  });
}

std::optional<Error> make_atomically(const std::string& path,
                                     const std::function<std::optional<Error>(const std::string&)>& make) {
  const std::filesystem::path target = resolve_symlink(path);
  if (is_pipe_or_device(target)) return failure(path, "cannot write", ESPIPE);
  return replace_file(path, target, [&](int, const std::string& temporary) { return make(temporary); });
}

}  // namespace thence::base
