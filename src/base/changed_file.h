// Finds mapped files that another process wrote while they were read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

namespace thence::base {

/// The size and the time of an open file.
class FileState {
 public:
  explicit FileState(int descriptor);
  /// Whether the file was written since. Unknown counts as no.
  bool is_changed(int descriptor) const;

 private:
  std::int64_t size_ = -1, seconds_ = 0, nanoseconds_ = 0;
};

/// Remembers the size and the time of a file that was just mapped, as long as the mapping is in use.
void watch_file(std::shared_ptr<const void> mapping, int descriptor, const std::string& path);

/// The error for a file that is still mapped, and that was written since. Call it before an output is
/// complete: what was read may be parts of two versions.
std::optional<Error> find_changed_file();
/// The same for a file that is known to have changed.
Error changed_file(const std::string& path);

}  // namespace thence::base
