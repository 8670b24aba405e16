// A file's bytes, mapped read-only: nothing is read until it is looked at, nothing is copied.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace thence::base {

class MappedFile {
 public:
  /// Maps a regular file. A folder, a pipe or a device is bad input; what cannot be opened is an
  /// input/output failure. Never blocks.
  static Result<MappedFile> open(const std::string& path);

  /// Standard input: mapped when it is a file, otherwise first copied to an unnamed temporary file,
  /// so that a large model does not end up in memory.
  static Result<MappedFile> standard_input();

  /// The file itself, for those who copy parts of it; -1 when it is empty.
  int descriptor() const { return mapping_ ? mapping_->descriptor : -1; }
  std::string_view bytes() const { return mapping_ ? std::string_view(mapping_->data, mapping_->size) : ""; }

 private:
  struct Mapping {
    const char* data;
    std::size_t size;
    int descriptor;
    Mapping(const char* d, std::size_t s, int f) : data(d), size(s), descriptor(f) {}
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();
  };
  static Result<MappedFile> map(int descriptor, const std::string& path);

  std::shared_ptr<const Mapping> mapping_;
};

}  // namespace thence::base
