// ReadAhead: tells the kernel which pages of a mapped file will be wanted next, while the file's
// structure is walked for the first time and its weights are stepped over.
//
// Left alone, the kernel fetches what lies around each page that is touched, up to megabytes: of a model
// on a cold disk nearly all weights. Told that access is random, it fetches one page at a time, and each
// tensor's header waits for the one before. Layers repeat, though, so that where the next headers lie can
// be foreseen from the distances so far, and many fetched at once. A wrong guess costs a page.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace thence::base {

class ReadAhead {
 public:
  /// Payloads from this size on are worth a jumped().
  static constexpr std::size_t worth_a_jump = 2048;

  /// Does nothing for a file that is in memory already.
  explicit ReadAhead(std::string_view file);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead();

  /// From where on to call reached(), as the other two return it.
  const char* start() const;
  /// The walk steps over `size` bytes, up to `to`.
  const char* jumped(const char* to, std::size_t size);
  /// The walk has come to `at` without another long jump.
  const char* reached(const char* at);

 private:
  const char* end() const { return file_.data() + file_.size(); }
  void expect(bool jumps, const char* from);
  void foresee(const char* from);
  /// How many jumps ago the last few distances came in the same order; 0: never, as far as looked.
  std::size_t period() const;

  std::string_view file_;
  bool cold_ = false;
  bool jumping_ = false;                // through weights, at the moment
  const char* calm_ = nullptr;          // where the walk counts as steady again
  std::vector<std::size_t> distances_;  // from jump to jump
  const char* last_jump_ = nullptr;
  const char* foreseen_ = nullptr;  // jumps up to here were guessed and asked for
};

}  // namespace thence::base
