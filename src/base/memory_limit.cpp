#include "base/memory_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <new>

namespace thence::base {
namespace {

std::atomic<std::uint64_t> process_limit = 0;  // read where there is no memory left

struct Charges {
  std::mutex mutex;
  std::map<const void*, std::uint64_t> by_mapping;
  std::uint64_t total = 0;
  rlim_t before = RLIM_INFINITY;  // the limit of the caller

  // Only the soft limit, which can be raised again.
  bool apply() const {
    rlimit data{};
    if (getrlimit(RLIMIT_DATA, &data) != 0) return false;
    data.rlim_cur = std::min(process_limit == 0 ? before : std::min<rlim_t>(process_limit - total, before),
                             data.rlim_max);
    return setrlimit(RLIMIT_DATA, &data) == 0;
  }
};

Charges& charges() {
  static Charges& charges = *new Charges;  // mappings may outlive static objects
  return charges;
}

}  // namespace

bool limit_memory(std::uint64_t bytes) {
  Charges& known = charges();
  rlimit data{};
  if (getrlimit(RLIMIT_DATA, &data) != 0) return false;
  known.before = data.rlim_cur;
  process_limit = bytes;
  return known.apply();
}

std::uint64_t memory_limit() { return process_limit; }

const char* out_of_memory_remedy() {
  return memory_limit() == 0 ? "free some, or use a machine with more" : "allow more with --max-memory SIZE";
}

void report_exhausted_memory() {
  if (const std::new_handler handler = std::get_new_handler()) handler();
  throw std::bad_alloc();
}

void lift_memory_limit() {
  if (process_limit.exchange(0) != 0) (void)charges().apply();
}

bool charge_memory(const void* mapping, std::uint64_t bytes) {
  if (process_limit == 0) return true;
  Charges& known = charges();
  const std::lock_guard lock(known.mutex);
  if (bytes > process_limit - known.total) return false;
  known.by_mapping[mapping] += bytes;
  known.total += bytes;
  return known.apply();
}

void release_memory(const void* mapping) {
  if (process_limit == 0) return;
  Charges& known = charges();
  const std::lock_guard lock(known.mutex);
  const auto found = known.by_mapping.find(mapping);
  if (found == known.by_mapping.end()) return;
  known.total -= found->second;
  known.by_mapping.erase(found);
  (void)known.apply();
}

}  // namespace thence::base
