// A temporary file that becomes the new content of another file.
#pragma once

#include <filesystem>
#include <string>

namespace thence::base {

/// A new, empty file in the folder of `target`, so that it can be renamed. It is removed at the end of its
/// lifetime, unless it replaced the target. Functions that return an int return an error number, or 0.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  /// The error number if the file could not be created.
  int creation_error() const { return creation_error_; }
  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }
  const std::filesystem::path& target() const { return target_; }

  /// Gives the file the owner and mode of the file that it replaces, flushes it to disk and closes it.
  int finish();
  /// Replaces the target.
  int replace_target();
  /// Replaces the target, and keeps the old file until the end of the lifetime, if the file system can do so.
  int exchange_target();
  /// Renames the target, until the end of the lifetime: there is none until replace_target().
  int set_target_aside();
  /// Undoes all of these. Returns false if the old file no longer exists.
  bool restore_target();

 private:
  std::filesystem::path target_;
  std::string path_, aside_;
  int descriptor_ = -1, creation_error_ = 0;
  std::size_t slot_;  // where a signal handler finds the path
  bool is_moved_ = false, is_exchanged_ = false, replaces_nothing_ = false;
};

/// Removes all temporary files. For signal handlers.
void remove_temporary_files();

}  // namespace thence::base
