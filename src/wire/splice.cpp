#include "wire/splice.h"

#include <functional>

#include "wire/fields.h"

namespace thence::wire {
namespace {

// Pieces of this size are written without copying them to the buffer of the writer.
constexpr std::uint64_t direct_write_bytes = 1 << 20;

}  // namespace

void append_varint(std::string& out, std::uint64_t value, unsigned width) {
  if (value < 0x80 && width <= 1) return out.push_back(static_cast<char>(value));
  for (; value >= 0x80 || width > 1; value >>= 7, width -= width > 0)
    out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void append_field(std::string& out, std::uint32_t field, std::string_view payload) {
  append_varint(out, bytes_tag(field));
  append_varint(out, payload.size());
  out.append(payload);
}

bool Splice::in_file(std::string_view piece) const {
  const std::less<> before;
  return !before(piece.data(), file_.data()) && before(piece.data(), file_.data() + file_.size());
}

void Splice::add(std::string_view piece) {
  if (piece.empty()) return;
  bytes_ += piece.size();
  if (!pieces_.empty() && (open_.empty() || open_.back().header + 1 < pieces_.size())) {
    std::string_view& last = pieces_.back();
    if (last.data() + last.size() == piece.data() && in_file(last) == in_file(piece)) {
      last = {last.data(), last.size() + piece.size()};
      return;
    }
  }
  pieces_.push_back(piece);
}

void Splice::open(std::uint32_t tag) {
  open_.push_back({pieces_.size(), bytes_, tag});
  pieces_.emplace_back();  // filled by close()
}

void Splice::close(unsigned tag_width, unsigned length_width) {
  const Open opened = open_.back();
  open_.pop_back();
  std::string header;
  append_varint(header, opened.tag, tag_width);
  append_varint(header, bytes_ - opened.before, length_width);
  pieces_[opened.header] = texts_.store(header);
  bytes_ += header.size();
}

Result<base::MemoryImage> Splice::assemble() const {
  return base::MemoryImage::assemble(pieces_, file_, descriptor_);
}

void Splice::write(base::Writer& out) const {
  for (const std::string_view piece : pieces_) {
    if (!out.ok()) return;
    if (piece.size() < direct_write_bytes)
      out.add(piece);
    else if (!in_file(piece))
      out.write_through(piece);
    else
      out.write_through(
          base::FilePiece{piece, descriptor_, static_cast<std::uint64_t>(piece.data() - file_.data())});
  }
}

}  // namespace thence::wire
