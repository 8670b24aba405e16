// Writer: buffers output text and passes it on in large pieces. The caller decides where they go and handles
// failure: after a failed write, further text is dropped and ok() returns false.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace thence::base {

/// Bytes that are also in an open file.
struct FilePiece {
  std::string_view bytes;
  int descriptor;
  std::uint64_t offset;
};

class Writer {
 public:
  /// `sink` takes a piece and returns false on failure. So does `copy`, an optional faster function for
  /// pieces of a file.
  explicit Writer(std::function<bool(std::string_view)> sink, std::function<bool(const FilePiece&)> copy = {})
      : sink_(std::move(sink)), copy_file_(std::move(copy)) {
    text_.reserve(capacity);
  }

  void add(std::string_view text) {
    text_.append(text);
    flush_if_full();
  }
  void add(char c) { text_.push_back(c); }
  void flush_if_full() {
    if (text_.size() >= threshold) flush();
  }
  void flush() {
    if (ok_ && !text_.empty()) ok_ = sink_(text_);
    text_.clear();
  }
  /// Passes a large piece on without buffering, after the text added before it.
  void write_through(std::string_view piece) {
    flush();
    if (ok_ && !piece.empty()) ok_ = sink_(piece);
  }
  void write_through(const FilePiece& piece) {
    if (!copy_file_ || piece.descriptor < 0) return write_through(piece.bytes);
    flush();
    if (ok_) ok_ = copy_file_(piece);
  }
  bool ok() const { return ok_; }
  /// Makes the output fail, for example because the input turned out to be damaged.
  void fail() { ok_ = false; }
  /// For direct appending; call flush_if_full() regularly.
  std::string& buffer() { return text_; }

 private:
  static constexpr std::size_t threshold = 1 << 18, capacity = threshold + (1 << 14);
  std::function<bool(std::string_view)> sink_;
  std::function<bool(const FilePiece&)> copy_file_;
  std::string text_;
  bool ok_ = true;
};

}  // namespace thence::base
