// Mapped files that another process cuts while they are read. Reading a page that is gone raises SIGBUS,
// which ends the process: right for the program, but not for a process of which the library is a part.
//
// Inside a CutFileGuard, the page reads as zeros instead, and the guard knows the file: whatever was made of
// it must be dropped.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace thence::base {

/// The first file that was cut or changed while a guard existed.
class CutFile {
 public:
  /// Safe in a signal handler.
  void set(const char* path);
  std::optional<Error> error() const;

 private:
  enum State { none, claimed, known };
  std::atomic<int> state_ = none;
  std::array<char, 512> path_{};
};

/// Where the calling thread reports cut files; null: nowhere.
CutFile* current_cut_file();

/// During its lifetime, the calling thread survives cut files.
class CutFileGuard {
 public:
  CutFileGuard();
  /// For a thread that works for another one, which waits for it.
  explicit CutFileGuard(CutFile* of_other_thread);
  ~CutFileGuard();
  CutFileGuard(const CutFileGuard&) = delete;
  CutFileGuard& operator=(const CutFileGuard&) = delete;

  std::optional<Error> error() const { return own_.error(); }

 private:
  CutFile own_;
  CutFile* before_;
};

/// The addresses at which a file is mapped, as the signal handler finds them.
class MappedRange {
 public:
  MappedRange(std::string_view bytes, const std::string& path);
  ~MappedRange();
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;
  struct Slot;

 private:
  Slot* slot_;
};

}  // namespace thence::base
