#include "base/read_ahead.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/limits.h"

namespace thence::base {
namespace {

char* page_of(const char* at) {
  static const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(at) & ~(size - 1));
}

// Samples a few pages. A wrong result only costs time.
bool is_in_page_cache(std::string_view file) {
  constexpr std::size_t samples = 8;
  for (std::size_t i = 0; i < samples; ++i) {
    unsigned char resident = 0;
    if (mincore(page_of(file.data() + file.size() / samples * i), 1, &resident) != 0) return true;
    if ((resident & 1) == 0) return false;
  }
  return true;
}

}  // namespace

ReadAhead::ReadAhead(std::string_view file)
    : file_(file), is_cold_(!file.empty() && !is_in_page_cache(file)) {
  if (!is_cold_) return;
  advise_access(true, file_.data());
  madvise(page_of(file_.data()), std::min(file_start_bytes, file_.size()), MADV_WILLNEED);
}

ReadAhead::~ReadAhead() {
  if (random_access_) advise_access(false, file_.data());
}

void ReadAhead::advise_access(bool is_random, const char* from) {
  random_access_ = is_random;
  char* const page = page_of(from);
  madvise(page, static_cast<std::size_t>(end() - page), is_random ? MADV_RANDOM : MADV_NORMAL);
}

const char* ReadAhead::report_skip(const char* to, std::size_t size) {
  if (!is_cold_) return end();
  if (last_skip_ != nullptr) distances_.push_back(static_cast<std::size_t>(to - last_skip_));
  last_skip_ = to;
  if (size >= long_skip_bytes) {
    if (!random_access_) advise_access(true, to);
    sequential_from_ = to + std::min(sequential_run_bytes, static_cast<std::size_t>(end() - to));
  }
  if (!random_access_) return end();
  if (to >= requested_until_) request_predicted_pages(to);
  return sequential_from_;
}

const char* ReadAhead::start() const {
  return is_cold_ ? file_.data() + std::min(file_start_bytes, file_.size()) : end();
}

const char* ReadAhead::report_position(const char* at) {
  if (random_access_) advise_access(false, at);
  return end();
}

void ReadAhead::request_predicted_pages(const char* at) {
  const std::size_t back = period();
  if (back == 0) return;
  const auto first = distances_.end() - static_cast<std::ptrdiff_t>(back);
  const char* wanted = at;  // the end of the requested range
  for (std::size_t i = 0; i < max_predicted_skips; ++i) {
    const std::size_t distance = first[static_cast<std::ptrdiff_t>(i % back)];
    if (distance + header_bytes >= static_cast<std::size_t>(end() - at)) break;
    at += distance;
    char* const page = page_of(at);
    if (page < wanted) continue;
    madvise(page, header_bytes, MADV_WILLNEED);
    wanted = page + header_bytes;
  }
  requested_until_ = at;
}

std::size_t ReadAhead::period() const {
  for (std::size_t back = 1; back <= max_period && back + min_equal_distances <= distances_.size(); ++back) {
    const auto last = distances_.end() - min_equal_distances;
    if (std::equal(last, distances_.end(), last - static_cast<std::ptrdiff_t>(back))) return back;
  }
  return 0;
}

}  // namespace thence::base
