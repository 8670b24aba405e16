// Splice: a copy of a protobuf file with parts added or left out. Messages around a change get new lengths;
// every other byte is copied as it is, straight from the mapped file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text_store.h"
#include "base/writer.h"

namespace thence::edit {

class Splice {
 public:
  /// `file` outlives the splice; so does `descriptor`, the same file, where there is one.
  explicit Splice(std::string_view file, int descriptor = -1) : file_(file), descriptor_(descriptor) {}

  /// Parts must be handed over in the order of the file.
  void copy(std::string_view part) { add(part); }                   // a part of the file, as it is
  void insert(std::string_view bytes) { add(texts_.keep(bytes)); }  // bytes of our own
  void lend(std::string_view bytes) { add(bytes); }                 // the same, by who outlives the splice
  void open(std::uint32_t tag);  // a bytes field begins, whose length is known when it is closed
  /// Its tag and length take so many bytes, or as few as they need.
  void close(unsigned tag_width = 0, unsigned length_width = 0);

  /// So many more pieces will come.
  void reserve(std::size_t pieces) { pieces_.reserve(pieces_.size() + pieces); }
  /// It holds what is lent, and lives as long as the splice.
  void hold(std::shared_ptr<const void> lender) { lender_ = std::move(lender); }

  std::uint64_t size() const { return open_.empty() ? bytes_ : 0; }
  void write(base::Writer& out) const;

 private:
  struct Open {
    std::size_t header;    // the piece that will hold tag and length
    std::uint64_t before;  // bytes up to the header
    std::uint32_t tag;
  };
  bool in_file(std::string_view piece) const;
  void add(std::string_view piece);

  std::string_view file_;
  int descriptor_;
  std::vector<std::string_view> pieces_;
  base::TextStore texts_;
  std::shared_ptr<const void> lender_;
  std::vector<Open> open_;
  std::uint64_t bytes_ = 0;
};

/// Appends a varint, of at least so many bytes, or a bytes field: tag, length, payload.
void append_varint(std::string& out, std::uint64_t value, unsigned width = 0);
void append_field(std::string& out, std::uint32_t field, std::string_view payload);
template <class Field>
  requires std::is_enum_v<Field>
void append_field(std::string& out, Field field, std::string_view payload) {
  append_field(out, static_cast<std::uint32_t>(field), payload);
}

}  // namespace thence::edit
