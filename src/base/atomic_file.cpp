#include "base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/text.h"

namespace thence::base {
namespace {

Error failure(const std::string& path, const char* what, int number) {
  return {ErrorKind::input_output, "F003", fmt::format("{}: {}: {}", printable(path), what, std::strerror(number)),
          "check the folder's permissions and free space"};
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace

std::optional<Error> write_atomically(const std::string& path, const std::function<void(Writer&)>& write) {
  // A symbolic link stays one: what it points to is replaced.
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::is_symlink(path, ignored) ? std::filesystem::weakly_canonical(path, ignored) : std::filesystem::path(path);
  const std::string target = real.empty() ? path : real.string();
  std::string temporary = target + ".XXXXXX";
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return failure(path, "cannot write", errno);
  struct stat old {};
  const mode_t mask = umask(0);
  umask(mask);
  const mode_t mode = stat(target.c_str(), &old) == 0 ? old.st_mode & 07777 : 0666 & ~mask;
  int number = 0;
  Writer out([&](std::string_view piece) {
    if (write_all(descriptor, piece)) return true;
    number = errno;
    return false;
  });
  write(out);
  out.flush();
  if (number == 0 && (fchmod(descriptor, mode) != 0 || fsync(descriptor) != 0)) number = errno;
  if (close(descriptor) != 0 && number == 0) number = errno;
  if (number == 0 && rename(temporary.c_str(), target.c_str()) != 0) number = errno;
  if (number == 0) return std::nullopt;
  unlink(temporary.c_str());
  return failure(path, "cannot write", number);
}

}  // namespace thence::base
