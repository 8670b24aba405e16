// NameTable: numbers the distinct names of a model. A name is a slice of the file; nothing is copied.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text_hash.h"

namespace thence::onnx {

/// No index, and more than any.
// errors.md: inputs, outputs and initializers together
inline constexpr std::uint32_t none = 0xffffffff;

/// A slice of the file in eight bytes: 40 bits of offset, 24 bits of length.
class Slice {
 public:
  // errors.md: a name
  static constexpr std::uint64_t max_length = (1u << 24) - 1;
  // errors.md: file
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

  /// Writes the number of `name` (a slice of the file, at most Slice::max_length long) to `*out`, now or
  /// within a few calls: batched lookups hide memory latency. Call finish() before reading `*out`.
  void intern_later(std::string_view name, std::uint32_t* out);
  void finish();

  std::uint32_t intern(std::string_view name);

  /// Frees the memory that only interning needs. No name can be added afterwards.
  void seal();

  /// Bytes of memory per name before seal().
  static constexpr std::uint64_t bytes_per_name = 32;

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
  // A slot holds the number of a name in its lower bits and a part of the name's hash in the others. Slots
  // are accessed in random order, so four bytes per slot keep more of them in the cache.
  std::vector<std::uint32_t> slots_;
  std::uint64_t mask_ = 0;
  static constexpr std::size_t batch = 128;
  std::array<Pending, batch> pending_{};
  std::size_t pending_count_ = 0;
};

}  // namespace thence::onnx
