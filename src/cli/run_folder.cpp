#include "cli/run_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/blocked_signals.h"
#include "base/format.h"
#include "base/open_file.h"

namespace thence::cli {
namespace {

// Plain memory, because a signal handler reads it.
constexpr std::size_t max_path = 4096;
std::array<char, max_path> folder{};
volatile std::sig_atomic_t has_folder = 0;

// An entry of a folder, as the kernel gives it. readdir() allocates memory, which a signal handler must not.
struct Entry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t size;
  unsigned char type;
  char name[1];
};

// Removes the files of a folder. It has no folders.
void remove_files(int opened) {
  alignas(Entry) static std::array<char, 1 << 12> buffer;
  for (long got = 0; (got = syscall(SYS_getdents64, opened, buffer.data(), buffer.size())) > 0;)
    for (long at = 0; at < got;) {
      const Entry& entry = *reinterpret_cast<const Entry*>(buffer.data() + at);
      (void)unlinkat(opened, entry.name, 0);
      at += entry.size;
    }
}

}  // namespace

Result<std::string> RunFolder::make() {
  const base::BlockedSignals blocked;  // otherwise a signal handler may run before it can find the folder
  std::error_code failed;
  std::string name = (std::filesystem::temp_directory_path(failed) / "thence-profile-XXXXXX").string();
  if (failed || name.size() + 32 > max_path || mkdtemp(name.data()) == nullptr)
    return Error{ErrorKind::input_output, "F003",
                 base::format("{}: {}", name, failed ? failed.message() : std::strerror(errno)),
                 "set TMPDIR to a folder with free space"};
  std::snprintf(folder.data(), max_path, "%s", name.c_str());
  has_folder = 1;
  return name;
}

RunFolder::~RunFolder() {
  if (has_folder == 0) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder.data(), ignored);  // also files that Python left behind
  has_folder = 0;
}

void remove_run_folder() {
  if (has_folder == 0) return;
  const int opened = base::open_file(folder.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened >= 0) remove_files(opened);
  (void)rmdir(folder.data());
}

}  // namespace thence::cli
