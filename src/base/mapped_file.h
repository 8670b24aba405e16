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

  std::string_view bytes() const { return mapping_ ? std::string_view(mapping_->data, mapping_->size) : ""; }

 private:
  struct Mapping {
    const char* data;
    std::size_t size;
    Mapping(const char* d, std::size_t s) : data(d), size(s) {}
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();
  };
  static Result<MappedFile> map(int descriptor, const std::string& path);

  std::shared_ptr<const Mapping> mapping_;
};

}  // namespace thence::base
