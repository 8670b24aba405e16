// Writer: text on its way out, gathered into large pieces. Where they go is the caller's business, and so is
// failure: once a piece could not be delivered, the rest is dropped and ok() says so.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace thence::base {

/// Bytes that lie in an open file, too.
struct FilePiece {
  std::string_view bytes;
  int descriptor;
  std::uint64_t offset;
};

class Writer {
 public:
  /// `deliver` takes a piece and returns false when it cannot; so does `copy`, where there is a faster way
  /// for pieces of a file.
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
  /// Hands on a large piece as it is, after what was added before it.
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
  /// To append to directly; call flush_if_full() now and then.
  std::string& buffer() { return text_; }

 private:
  static constexpr std::size_t threshold = 1 << 18, capacity = threshold + (1 << 14);
  std::function<bool(std::string_view)> deliver_;
  std::function<bool(const FilePiece&)> copy_;
  std::string text_;
  bool ok_ = true;
};

}  // namespace thence::base
