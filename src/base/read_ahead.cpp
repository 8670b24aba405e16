#include "base/read_ahead.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace thence::base {
namespace {

constexpr std::size_t long_jump = 1 << 16;  // reading this many bytes takes longer than a jump
constexpr std::size_t steady_walk = 1 << 16;
constexpr std::size_t opening = 1 << 20;  // the start of the file, where most models have their nodes
constexpr std::size_t a_header = 1 << 13;
constexpr std::size_t jumps_ahead = 128;
constexpr std::size_t alike = 4;  // this number of equal distances is a repetition
constexpr std::size_t longest_period = 256;

char* page_of(const char* at) {
  static const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(at) & ~(size - 1));
}

// Samples a few pages. A wrong result only costs time.
bool in_memory(std::string_view file) {
  constexpr std::size_t samples = 8;
  for (std::size_t i = 0; i < samples; ++i) {
    unsigned char resident = 0;
    if (mincore(page_of(file.data() + file.size() / samples * i), 1, &resident) != 0) return true;
    if ((resident & 1) == 0) return false;
  }
  return true;
}

}  // namespace

ReadAhead::ReadAhead(std::string_view file) : file_(file), cold_(!file.empty() && !in_memory(file)) {
  if (!cold_) return;
  expect(true, file_.data());
  madvise(page_of(file_.data()), std::min(opening, file_.size()), MADV_WILLNEED);
}

ReadAhead::~ReadAhead() {
  if (jumping_) expect(false, file_.data());
}

void ReadAhead::expect(bool jumps, const char* from) {
  jumping_ = jumps;
  char* const page = page_of(from);
  madvise(page, static_cast<std::size_t>(end() - page), jumps ? MADV_RANDOM : MADV_NORMAL);
}

const char* ReadAhead::jumped(const char* to, std::size_t size) {
  if (!cold_) return end();
  if (last_jump_ != nullptr) distances_.push_back(static_cast<std::size_t>(to - last_jump_));
  last_jump_ = to;
  if (size >= long_jump) {
    if (!jumping_) expect(true, to);
    calm_ = to + std::min(steady_walk, static_cast<std::size_t>(end() - to));
  }
  if (!jumping_) return end();
  if (to >= foreseen_) foresee(to);
  return calm_;
}

const char* ReadAhead::start() const {
  return cold_ ? file_.data() + std::min(opening, file_.size()) : end();
}

const char* ReadAhead::reached(const char* at) {
  if (jumping_) expect(false, at);
  return end();
}

void ReadAhead::foresee(const char* at) {
  const std::size_t back = period();
  if (back == 0) return;
  const auto first = distances_.end() - static_cast<std::ptrdiff_t>(back);
  const char* wanted = at;  // the end of the requested range
  for (std::size_t i = 0; i < jumps_ahead; ++i) {
    const std::size_t distance = first[static_cast<std::ptrdiff_t>(i % back)];
    if (distance + a_header >= static_cast<std::size_t>(end() - at)) break;
    at += distance;
    char* const page = page_of(at);
    if (page < wanted) continue;
    madvise(page, a_header, MADV_WILLNEED);
    wanted = page + a_header;
  }
  foreseen_ = at;
}

std::size_t ReadAhead::period() const {
  for (std::size_t back = 1; back <= longest_period && back + alike <= distances_.size(); ++back) {
    const auto last = distances_.end() - alike;
    if (std::equal(last, distances_.end(), last - static_cast<std::ptrdiff_t>(back))) return back;
  }
  return 0;
}

}  // namespace thence::base
