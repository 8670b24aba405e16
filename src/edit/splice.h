// Splice: a copy of a protobuf file with parts added or left out. Messages around a change get new lengths;
// every other byte is copied as it is, straight from the mapped file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/writer.h"

namespace thence::edit {

class Splice {
 public:
  /// `file` outlives the splice; so does `descriptor`, the same file, where there is one.
  explicit Splice(std::string_view file, int descriptor = -1) : file_(file), descriptor_(descriptor) {}

  /// Parts must be handed over in the order of the file.
  void copy(std::string_view part);     // a part of the file, as it is
  void insert(std::string_view bytes);  // bytes of our own
  void open(std::uint32_t tag);         // a bytes field begins, whose length is known when it is closed
  /// Its tag and length take so many bytes, or as few as they need.
  void close(unsigned tag_width = 0, unsigned length_width = 0);

  /// So many more pieces, and so many bytes of our own, will come.
  void reserve(std::size_t pieces, std::size_t own) {
    pieces_.reserve(pieces_.size() + pieces);
    own_.reserve(own_.size() + own);
  }

  std::uint64_t size() const { return open_.empty() ? bytes_ : 0; }
  void write(base::Writer& out) const;

 private:
  struct Piece {
    std::uint64_t offset;  // in the file, or in own_
    std::uint64_t size;
    bool own;
  };
  struct Open {
    std::size_t header;    // the piece that will hold tag and length
    std::uint64_t before;  // bytes up to the header
    std::uint32_t tag;
  };
  void add(Piece piece);

  std::string_view file_;
  int descriptor_;
  std::vector<Piece> pieces_;
  std::string own_;
  std::vector<Open> open_;
  std::uint64_t bytes_ = 0;
};

/// Appends a varint, of at least so many bytes, or a bytes field: tag, length, payload.
void append_varint(std::string& out, std::uint64_t value, unsigned width = 0);
void append_field(std::string& out, std::uint32_t field, std::string_view payload);

}  // namespace thence::edit
