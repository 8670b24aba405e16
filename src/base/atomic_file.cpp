#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>

#include "base/blocked_signals.h"
#include "base/cut_file.h"
#include "base/format.h"
#include "base/open_file.h"
#include "base/temporary_file.h"
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

std::optional<Error> write_to(int descriptor, const std::string& path,
                              const std::function<void(Writer&)>& write) {
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
  if (const CutFile* const cut = current_cut_file(); cut != nullptr && cut->error()) return cut->error();
  if (out.source_error() || number == 0 || number == EPIPE) return out.source_error();
  return failure(path, "cannot write", number);
}

int open_folder(const std::filesystem::path& folder) {
  return open_file(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

// Makes the new name survive a power failure. The file is complete in any case, so failure is not an error.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = open_folder(folder);
  if (descriptor < 0) return;
  (void)fsync(descriptor);
  (void)close(descriptor);
}

struct Target {
  std::filesystem::path path;
  bool is_pipe_or_device = false;
};

// Follows a symbolic link, which may have no target yet.
Result<Target> find_target(const std::string& path, SymlinkPolicy policy) {
  if (policy == SymlinkPolicy::replace) return Target{path};
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) return failure(path, "cannot write", errno);
  if (exists && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return Target{path, true};
  if (lstat(path.c_str(), &info) != 0 && errno != ENOENT) return failure(path, "cannot write", errno);
  if (!S_ISLNK(info.st_mode)) return Target{path};
  std::error_code failed;
  Target target{std::filesystem::weakly_canonical(path, failed)};
  if (failed) return failure(path, "cannot write", failed.value());
  return target;
}

std::optional<Error> write_to_pipe(const std::string& path, const std::function<void(Writer&)>& write) {
  const int descriptor = open_file(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return failure(path, "cannot write", errno);
  std::optional<Error> error = write_to(descriptor, path, write);
  if (close(descriptor) != 0 && errno != EINTR && !error) error = failure(path, "cannot write", errno);
  return error;
}

// Other runs that replace several files in the folder wait during its lifetime, if the file system has locks.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder) : descriptor_(open_folder(folder)) {
    while (flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) continue;
  }
  ~FolderLock() {
    if (descriptor_ >= 0) (void)close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

// Gives all files their names, or none. The files that describe the last one do not exist while that is
// replaced, so that they never describe another one.
std::optional<Error> replace_targets(const std::vector<FileToWrite>& files,
                                     std::deque<TemporaryFile>& complete) {
  const BlockedSignals blocked;
  int number = 0;  // of the error; its text needs memory, and follows when the old files have their names
  std::size_t failed = 0;
  const auto attempt = [&](std::size_t i, int (TemporaryFile::*step)()) {
    if (number != 0) return;
    number = (complete[i].*step)();
    failed = i;
  };
  const std::size_t last = complete.size() - 1;
  for (std::size_t i = 0; i < last; ++i) attempt(i, &TemporaryFile::set_target_aside);
  attempt(last, last == 0 ? &TemporaryFile::replace_target : &TemporaryFile::exchange_target);
  for (std::size_t i = 0; i < last; ++i) attempt(i, &TemporaryFile::replace_target);
  if (number != 0 && complete[last].restore_target())
    for (std::size_t i = 0; i < last; ++i) complete[i].restore_target();
  complete.clear();  // removes the old files before a signal can end the program
  if (number == 0) return std::nullopt;
  return failure(files[failed].path, "cannot write", number);
}

}  // namespace

bool is_pipe_or_device(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

std::optional<Error> write_together(const std::vector<FileToWrite>& files) {
  std::deque<TemporaryFile> complete;
  for (const FileToWrite& file : files) {
    const Result<Target> target = find_target(file.path, file.policy);
    if (!target) return target.error();
    TemporaryFile& made = complete.emplace_back(target->path);
    if (made.creation_error() != 0) return failure(file.path, "cannot write", made.creation_error());
    if (std::optional<Error> error = write_to(made.descriptor(), file.path, file.write)) return error;
    if (const int number = made.finish(); number != 0) return failure(file.path, "cannot write", number);
  }
  const std::filesystem::path folder = complete.front().target().parent_path();
  std::optional<FolderLock> lock;
  if (files.size() > 1) lock.emplace(folder);
  if (std::optional<Error> error = replace_targets(files, complete)) return error;
  sync_folder(folder);
  return std::nullopt;
}

std::optional<Error> write_atomically(const std::string& path, const std::function<void(Writer&)>& write,
                                      SymlinkPolicy policy) {
  const Result<Target> target = find_target(path, policy);
  if (!target) return target.error();
  return target->is_pipe_or_device ? write_to_pipe(path, write) : write_together({{path, write, policy}});
}

std::optional<Error> make_atomically(const std::string& path,
                                     const std::function<std::optional<Error>(const std::string&)>& make) {
  const Result<Target> target = find_target(path, SymlinkPolicy::follow);
  if (!target) return target.error();
  if (target->is_pipe_or_device) return failure(path, "cannot write", ESPIPE);
  TemporaryFile made(target->path);
  int number = made.creation_error();
  if (number == 0)
    if (std::optional<Error> error = make(made.path())) return error;
  if (number == 0) number = made.finish();
  if (number == 0) number = made.replace_target();
  if (number != 0) return failure(path, "cannot write", number);
  sync_folder(target->path.parent_path());
  return std::nullopt;
}

}  // namespace thence::base
