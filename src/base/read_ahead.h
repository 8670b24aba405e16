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
  /// Minimum payload size for a call of report_skip().
  static constexpr std::size_t min_skip_bytes = 2048;

  /// Does nothing if the file is already in memory.
  explicit ReadAhead(std::string_view file);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead();

  /// The position from which report_position() must be called. The other two functions return the next such
  /// position.
  const char* start() const;
  /// Reports that the reader skips `size` bytes, up to `to`.
  const char* report_skip(const char* to, std::size_t size);
  /// Reports that the reader is at `at`, without another long skip.
  const char* report_position(const char* at);

 private:
  const char* end() const { return file_.data() + file_.size(); }
  void advise_access(bool is_random, const char* from);
  void request_predicted_pages(const char* from);
  /// The number of skips since the last few distances occurred in the same order; 0 if no repetition was
  /// found.
  std::size_t period() const;

  std::string_view file_;
  bool is_cold_ = false;
  bool random_access_ = false;             // currently skipping weights
  const char* sequential_from_ = nullptr;  // the position at which reading counts as sequential again
  std::vector<std::size_t> distances_;     // between skips
  const char* last_skip_ = nullptr;
  const char* requested_until_ = nullptr;  // pages of predicted skips are requested up to here
};

}  // namespace thence::base
