#include "base/private_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/format.h"
#include "base/limits.h"
#include "base/memory_limit.h"

namespace thence::base {
namespace {

// The kernel copies a page of a private mapping when it is written. Only a part at a time is writable,
// because limits on memory count writable pages, copied or not.
bool copy_pages(const void* mapping, std::uintptr_t first, std::uintptr_t last, std::uintptr_t page) {
  if (!charge_memory(mapping, last - first)) {
    errno = ENOMEM;
    return false;
  }
  for (std::uintptr_t begin = first; begin < last; begin += writable_part_bytes) {
    const std::uintptr_t end = std::min(begin + writable_part_bytes, last);
    void* const part = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr)
    if (mprotect(part, end - begin, PROT_READ | PROT_WRITE) != 0) return false;
    for (std::uintptr_t at = begin; at < end; at += page) {
      auto* const byte = reinterpret_cast<volatile char*>(at);  // NOLINT(performance-no-int-to-ptr)
      *byte = *byte;
    }
    if (mprotect(part, end - begin, PROT_READ) != 0) return false;
  }
  return true;
}

}  // namespace

std::optional<Error> make_private(std::string_view mapped, const std::vector<ByteRange>& except) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(mapped.data());
  const auto floor = [&](std::uint64_t offset) { return (start + offset) / page * page; };
  std::uintptr_t copied = floor(0);  // all pages before this one are done
  const auto copy = [&](std::uint64_t begin, std::uint64_t end) {
    const std::uintptr_t first = std::max(copied, floor(begin)), last = floor(end + page - 1);
    if (begin == end || first >= last) return true;
    copied = last;
    return copy_pages(mapped.data(), first, last, page);
  };
  bool is_copied = true;
  std::uint64_t begin = 0;
  for (const ByteRange& range : except) {
    is_copied = is_copied && copy(begin, range.begin);
    begin = range.end;
  }
  if (is_copied && copy(begin, mapped.size())) return std::nullopt;
  return Error{ErrorKind::input_output, "F005",
               base::format("cannot hold the structure of a model in memory: {}", std::strerror(errno)),
               out_of_memory_remedy()};
}

}  // namespace thence::base
