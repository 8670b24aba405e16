// Splice: a copy of a protobuf file with parts added or omitted. Messages around a change get new lengths.
// Every other byte is copied unchanged from the mapped file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/memory_image.h"
#include "base/text_store.h"
#include "base/writer.h"

namespace thence::wire {

class Splice {
 public:
  /// `file` must outlive the splice, and so must `descriptor`, which refers to the same file, if given.
  explicit Splice(std::string_view file, int descriptor = -1) : file_(file), descriptor_(descriptor) {}

  /// Parts must be added in file order.
  void copy(std::string_view part) { add(part); }                    // an unchanged part of the file
  void insert(std::string_view bytes) { add(texts_.store(bytes)); }  // new bytes, which are copied
  void insert_borrowed(std::string_view bytes) { add(bytes); }       // new bytes that outlive the splice
  void open(std::uint32_t tag);  // begins a bytes field; its length is known at close()
  /// Ends the field. The widths are the minimum numbers of bytes of its tag and length; 0 means the shortest
  /// encoding.
  void close(unsigned tag_width = 0, unsigned length_width = 0);

  /// Reserves memory for more pieces.
  void reserve(std::size_t pieces) { pieces_.reserve(pieces_.size() + pieces); }
  /// Keeps the owner of bytes given to lend() alive.
  void keep_alive(std::shared_ptr<const void> owner) { owner_ = std::move(owner); }

  std::uint64_t size() const { return open_.empty() ? bytes_ : 0; }
  void write(base::Writer& out) const;
  /// The same bytes in memory. Large unchanged parts of the file are mapped, not copied.
  Result<base::MemoryImage> assemble() const;

 private:
  struct Open {
    std::size_t header;    // the piece for the tag and length
    std::uint64_t before;  // bytes before the header
    std::uint32_t tag;
  };
  bool in_file(std::string_view piece) const;
  void add(std::string_view piece);

  std::string_view file_;
  int descriptor_;
  std::vector<std::string_view> pieces_;
  base::TextStore texts_;
  std::shared_ptr<const void> owner_;
  std::vector<Open> open_;
  std::uint64_t bytes_ = 0;
};

/// Append a varint of at least `width` bytes, or a bytes field: tag, length, payload.
void append_varint(std::string& out, std::uint64_t value, unsigned width = 0);
void append_field(std::string& out, std::uint32_t field, std::string_view payload);
template <class Field>
  requires std::is_enum_v<Field>
void append_field(std::string& out, Field field, std::string_view payload) {
  append_field(out, static_cast<std::uint32_t>(field), payload);
}

}  // namespace thence::wire
