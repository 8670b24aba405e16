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
  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    if (text.size() > left_) {
      left_ = std::max(text.size(), piece);
      pieces_.push_back(std::make_unique_for_overwrite<char[]>(left_));
      next_ = pieces_.back().get();
    }
    std::memcpy(next_, text.data(), text.size());
    const std::string_view kept(next_, text.size());
    next_ += text.size();
    left_ -= text.size();
    return kept;
  }

 private:
  static constexpr std::size_t piece = 1 << 14;
  std::vector<std::unique_ptr<char[]>> pieces_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace thence::base
