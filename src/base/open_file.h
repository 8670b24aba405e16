// Opens a file.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cerrno>

namespace thence::base {

/// Like open(), and again if a signal interrupted it, as on file systems in user space or on the network.
inline int open_file(const char* path, int flags, mode_t mode = 0) {
  int descriptor = ::open(path, flags, mode);
  while (descriptor < 0 && errno == EINTR) descriptor = ::open(path, flags, mode);
  return descriptor;
}

}  // namespace thence::base
