#include "edit/splice.h"

#include "wire/fields.h"

namespace thence::edit {

void append_varint(std::string& out, std::uint64_t value, unsigned width) {
  if (value < 0x80 && width <= 1) return out.push_back(static_cast<char>(value));
  for (; value >= 0x80 || width > 1; value >>= 7, width -= width > 0)
    out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void append_field(std::string& out, std::uint32_t field, std::string_view payload) {
  append_varint(out, wire::bytes_tag(field));
  append_varint(out, payload.size());
  out.append(payload);
}

void Splice::add(Piece piece) {
  bytes_ += piece.size;
  if (!pieces_.empty() && (open_.empty() || open_.back().header + 1 < pieces_.size())) {
    Piece& last = pieces_.back();
    if (last.own == piece.own && last.offset + last.size == piece.offset) {
      last.size += piece.size;
      return;
    }
  }
  pieces_.push_back(piece);
}

void Splice::copy(std::string_view part) {
  if (!part.empty()) add({static_cast<std::uint64_t>(part.data() - file_.data()), part.size(), false});
}

void Splice::insert(std::string_view bytes) {
  if (bytes.empty()) return;
  add({own_.size(), bytes.size(), true});
  own_.append(bytes);
}

void Splice::open(std::uint32_t tag) {
  open_.push_back({pieces_.size(), bytes_, tag});
  pieces_.push_back({0, 0, true});  // its bytes come with close()
}

void Splice::close(unsigned tag_width, unsigned length_width) {
  const Open opened = open_.back();
  open_.pop_back();
  Piece& header = pieces_[opened.header];
  header.offset = own_.size();
  append_varint(own_, opened.tag, tag_width);
  append_varint(own_, bytes_ - opened.before, length_width);
  header.size = own_.size() - header.offset;
  bytes_ += header.size;
}

void Splice::write(base::Writer& out) const {
  constexpr std::uint64_t large = 1 << 20;
  for (const Piece& piece : pieces_) {
    if (!out.ok()) return;
    const std::string_view bytes =
        (piece.own ? std::string_view(own_) : file_).substr(piece.offset, piece.size);
    if (bytes.size() < large)
      out.add(bytes);
    else if (piece.own)
      out.pass(bytes);
    else
      out.pass(base::FilePiece{bytes, descriptor_, piece.offset});
  }
}

}  // namespace thence::edit
