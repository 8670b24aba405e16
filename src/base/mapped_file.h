// The bytes of a file, mapped read-only. Pages are read on demand and nothing is copied.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/changed_file.h"
#include "base/cut_file.h"
#include "base/result.h"

namespace thence::base {

class MappedFile {
 public:
  /// Maps a regular file. A folder, a pipe or a device is bad input; a file that cannot be opened is an
  /// input/output failure. Never blocks.
  static Result<MappedFile> open(const std::string& path);

  /// Reads standard input. A file is mapped; anything else is first copied to an unnamed temporary file, so
  /// that a large model does not fill the memory.
  static Result<MappedFile> standard_input();

  /// The file itself, for copying parts of it; -1 if it is empty.
  int descriptor() const { return mapping_ ? mapping_->descriptor : -1; }
  /// Whether another process wrote the file since it was mapped.
  bool is_changed() const { return mapping_ && mapping_->found.is_changed(mapping_->descriptor); }
  std::string_view bytes() const { return mapping_ ? std::string_view(mapping_->data, mapping_->size) : ""; }

 private:
  struct Mapping {
    const char* data;
    std::size_t size;
    int descriptor;
    std::string path;
    FileState found{descriptor};
    MappedRange range{{data, size}, path};
    Mapping(const char* d, std::size_t s, int f, std::string p)
        : data(d), size(s), descriptor(f), path(std::move(p)) {}
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();
  };
  static Result<MappedFile> map(int descriptor, const std::string& path);

  std::shared_ptr<const Mapping> mapping_;
};

}  // namespace thence::base
