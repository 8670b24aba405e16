// NameTable: every distinct name in a model once, as a small number. A name is a stretch of the file;
// nothing is copied.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text_hash.h"

namespace thence::onnx {

inline constexpr std::uint32_t none = 0xffffffff;

/// A stretch of the file in eight bytes: 40 bits of offset, 24 of length.
class Slice {
 public:
  static constexpr std::uint64_t max_length = (1u << 24) - 1;
  static constexpr std::uint64_t max_offset = (std::uint64_t{1} << 40) - 1;

  Slice() = default;
  Slice(std::uint64_t offset, std::uint64_t length) : packed_(offset << 24 | length) {}
  std::uint64_t offset() const { return packed_ >> 24; }
  std::uint64_t length() const { return packed_ & max_length; }
  std::string_view in(std::string_view file) const { return file.substr(offset(), length()); }

 private:
  std::uint64_t packed_ = 0;
};

class NameTable {
 public:
  NameTable() = default;
  NameTable(std::string_view file, std::uint64_t expected, std::uint64_t seed = base::process_seed());

  /// Writes the number of `name` (a part of the file, at most Slice::max_length long) to `*out`, now or
  /// a few calls later: looking up in batches hides the wait for memory. Call finish() before reading.
  void intern_later(std::string_view name, std::uint32_t* out);
  void finish();

  std::uint32_t intern(std::string_view name);

  /// Frees what only interning needs. From here on names are only read.
  void seal();

  /// What a name takes, in bytes, while the table is open.
  static constexpr std::uint64_t bytes_a_name = 32;

  std::size_t size() const { return names_.size(); }
  std::string_view text(std::uint32_t name) const { return names_[name].in(file_); }

 private:
  struct Pending {
    std::uint64_t hash;
    std::string_view name;
    std::uint32_t* out;
  };
  std::uint64_t hash_of(std::string_view name) const;
  std::uint32_t find_or_add(std::string_view name, std::uint64_t hash);
  void place(std::uint32_t name, std::uint64_t hash);
  void grow();

  std::string_view file_;
  std::uint64_t seed_ = 0;
  std::vector<Slice> names_;
  // A slot holds a name's number and, in the bits above those that numbers need, a part of its hash. Four
  // bytes and no more: slots are looked at in random order, so what counts is how many a cache holds.
  std::vector<std::uint32_t> slots_;
  std::uint64_t mask_ = 0;
  static constexpr std::size_t batch = 128;
  std::array<Pending, batch> pending_{};
  std::size_t pending_count_ = 0;
};

}  // namespace thence::onnx
