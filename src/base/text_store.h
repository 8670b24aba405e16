// TextStore: stores texts during its lifetime. They are contiguous in large blocks, so that many short texts
// need little more memory than their lengths.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace thence::base {

class TextStore {
 public:
  /// Returns a view of the text that stays valid if the store is moved.
  std::string_view store(std::string_view text) {
    if (text.empty()) return {};
    if (text.size() > left_) {
      left_ = std::max(text.size(), block_bytes);
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
      next_ = blocks_.back().get();
    }
    std::memcpy(next_, text.data(), text.size());
    const std::string_view stored(next_, text.size());
    next_ += text.size();
    left_ -= text.size();
    return stored;
  }

 private:
  static constexpr std::size_t block_bytes = 1 << 14;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace thence::base
