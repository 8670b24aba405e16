// Writes to a file descriptor.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace thence::base {

/// Writes all bytes, in as many calls as necessary. False on failure, with the reason in errno.
inline bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace thence::base
