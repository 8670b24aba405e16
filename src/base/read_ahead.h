// ReadAhead: advises the kernel which pages of a mapped file will be needed next, while the structure of the
// file is read for the first time and its weights are skipped.
//
// By default, the kernel reads up to megabytes around each accessed page. For a model on a cold disk that is
// nearly all weights. With advice for random access, it reads one page at a time, and each tensor header
// waits for the previous one. Layers repeat, so the positions of the next headers can be predicted from the
// previous distances, and many pages can be requested at once. A wrong prediction costs one page.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace thence::base {

class ReadAhead {
 public:
  /// Minimum payload size for a call of jumped().
  static constexpr std::size_t worth_a_jump = 2048;

  /// Does nothing if the file is already in memory.
  explicit ReadAhead(std::string_view file);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead();

  /// The position from which reached() must be called. The other two functions return the next such position.
  const char* start() const;
  /// Reports that the reader skips `size` bytes, up to `to`.
  const char* jumped(const char* to, std::size_t size);
  /// Reports that the reader is at `at`, without another long jump.
  const char* reached(const char* at);

 private:
  const char* end() const { return file_.data() + file_.size(); }
  void expect(bool jumps, const char* from);
  void foresee(const char* from);
  /// The number of jumps since the last few distances occurred in the same order; 0 if no repetition was
  /// found.
  std::size_t period() const;

  std::string_view file_;
  bool cold_ = false;
  bool jumping_ = false;                // currently skipping weights
  const char* calm_ = nullptr;          // the position at which reading counts as sequential again
  std::vector<std::size_t> distances_;  // between jumps
  const char* last_jump_ = nullptr;
  const char* foreseen_ = nullptr;  // pages of predicted jumps are requested up to here
};

}  // namespace thence::base
