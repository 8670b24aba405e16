// Writer: buffers output text and passes it on in large pieces. The caller decides where they go and handles
// failure: after a failed delivery, further text is dropped and ok() returns false.
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
  /// `deliver` takes a piece and returns false on failure. So does `copy`, an optional faster function for
  /// pieces of a file.
  explicit Writer(std::function<bool(std::string_view)> deliver,
                  std::function<bool(const FilePiece&)> copy = {})
      : deliver_(std::move(deliver)), copy_(std::move(copy)) {
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
    if (ok_ && !text_.empty()) ok_ = deliver_(text_);
    text_.clear();
  }
  /// Passes a large piece on without buffering, after the text added before it.
  void pass(std::string_view piece) {
    flush();
    if (ok_ && !piece.empty()) ok_ = deliver_(piece);
  }
  void pass(const FilePiece& piece) {
    if (!copy_ || piece.descriptor < 0) return pass(piece.bytes);
    flush();
    if (ok_) ok_ = copy_(piece);
  }
  bool ok() const { return ok_; }
  /// For direct appending; call flush_if_full() regularly.
  std::string& buffer() { return text_; }

 private:
  static constexpr std::size_t threshold = 1 << 18, capacity = threshold + (1 << 14);
  std::function<bool(std::string_view)> deliver_;
  std::function<bool(const FilePiece&)> copy_;
  std::string text_;
  bool ok_ = true;
};

}  // namespace thence::base
