#include "base/temporary_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/blocked_signals.h"
#include "base/open_file.h"

namespace thence::base {
namespace {

// The paths of the temporary files that exist. A signal handler may read them at any time.
struct Slot {
  enum State { unused, claimed, readable };
  std::array<char, 4096> path{};
  std::atomic<int> state = unused;
};
static_assert(std::atomic<int>::is_always_lock_free);
// A command writes two files at most; threads of Python may write more, which no signal handler removes.
constexpr std::size_t slot_count = 4, no_slot = slot_count;
std::array<Slot, slot_count> slots;

std::size_t remember_path(const std::string& path) {
  if (path.size() >= slots[0].path.size()) return no_slot;
  for (std::size_t i = 0; i < slot_count; ++i) {
    int expected = Slot::unused;
    if (!slots[i].state.compare_exchange_strong(expected, Slot::claimed)) continue;
    std::copy_n(path.c_str(), path.size() + 1, slots[i].path.begin());
    slots[i].state = Slot::readable;
    return i;
  }
  return no_slot;
}

// Like mkostemp(), but with a mode from which the kernel takes the umask and the permissions that the folder
// gives to new files. To read the umask, a thread would have to change it for all others.
int create_file(std::string& path, mode_t mode) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz012345";
  constexpr std::size_t length = 6;
  constexpr int max_attempts = 100;
  int descriptor = -1;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    std::array<unsigned char, length> random{};
    while (getrandom(random.data(), length, 0) < 0)
      if (errno != EINTR) return -1;
    for (std::size_t i = 0; i < length; ++i)
      path[path.size() - length + i] = letters[random[i] % letters.size()];
    descriptor = open_file(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST) break;
  }
  return descriptor;
}

// Gives a new file the owner and mode of the file that it replaces. Returns the error number.
int copy_owner_and_mode(int descriptor, const std::filesystem::path& target) {
  struct stat old {};
  // The target is not a link, or is a link that is replaced and whose owner and mode are irrelevant.
  if (lstat(target.c_str(), &old) != 0) return errno == ENOENT ? 0 : errno;
  if (!S_ISREG(old.st_mode)) return 0;
  // The owner is kept if permitted; most users may not change the owner of a file. EINVAL: the user namespace
  // of a container does not have that owner.
  if (fchown(descriptor, old.st_uid, old.st_gid) != 0 && errno != EPERM && errno != EINVAL) return errno;
  // New content does not inherit setuid and setgid bits.
  return fchmod(descriptor, old.st_mode & 0777) != 0 ? errno : 0;
}

bool swap_files(const std::filesystem::path& one, const std::filesystem::path& other) {
  return renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
}

int flush_to_disk(int descriptor) {
  while (fsync(descriptor) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

}  // namespace

TemporaryFile::TemporaryFile(std::filesystem::path target) : target_(std::move(target)), slot_(no_slot) {
  // The name is cut, because a long name could exceed the limit.
  path_ = target_.parent_path() / (target_.filename().string().substr(0, 200) + ".XXXXXX");
  struct stat old {};
  const bool exists = lstat(target_.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) {
    creation_error_ = errno;
    return;
  }
  const bool replaces = exists && S_ISREG(old.st_mode);
  const BlockedSignals blocked;  // otherwise a signal handler may run before it can find the path
  descriptor_ = create_file(path_, replaces ? 0600 : 0666);  // the old file may be private
  if (descriptor_ < 0)
    creation_error_ = errno;
  else
    slot_ = remember_path(path_);
}

TemporaryFile::~TemporaryFile() {
  if (descriptor_ >= 0) (void)close(descriptor_);
  if (creation_error_ == 0 && !is_moved_) (void)unlink(path_.c_str());
  if (!aside_.empty()) (void)unlink(aside_.c_str());
  if (slot_ != no_slot) slots[slot_].state = Slot::unused;
}

int TemporaryFile::finish() {
  int number = copy_owner_and_mode(descriptor_, target_);
  if (number == 0) number = flush_to_disk(descriptor_);
  // EINTR: the descriptor is closed nevertheless, and the content was flushed before.
  if (close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR && number == 0) number = errno;
  return number;
}

int TemporaryFile::replace_target() {
  if (rename(path_.c_str(), target_.c_str()) != 0) return errno;
  is_moved_ = true;
  return 0;
}

int TemporaryFile::exchange_target() {
  struct stat old {};
  replaces_nothing_ = lstat(target_.c_str(), &old) != 0 && errno == ENOENT;
  // A folder could be exchanged, too.
  is_exchanged_ = (S_ISREG(old.st_mode) || S_ISLNK(old.st_mode)) && swap_files(path_, target_);
  return is_exchanged_ ? 0 : replace_target();
}

int TemporaryFile::set_target_aside() {
  aside_ = path_ + ".old";
  if (rename(target_.c_str(), aside_.c_str()) == 0) return 0;
  aside_.clear();
  replaces_nothing_ = errno == ENOENT;
  return replaces_nothing_ ? 0 : errno;
}

bool TemporaryFile::restore_target() {
  if (is_exchanged_) return swap_files(path_, target_);
  if (is_moved_ && replaces_nothing_) return unlink(target_.c_str()) == 0;
  if (!aside_.empty() && rename(aside_.c_str(), target_.c_str()) == 0) aside_.clear();
  return !is_moved_;
}

void remove_temporary_files() {
  for (const Slot& slot : slots)
    if (slot.state == Slot::readable) (void)unlink(slot.path.data());
}

}  // namespace thence::base
