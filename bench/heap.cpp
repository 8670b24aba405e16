#include "heap.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> now{0};
std::atomic<std::size_t> peak{0};

}  // namespace

void* operator new(std::size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  const std::size_t taken = malloc_usable_size(block);
  const std::size_t total = now.fetch_add(taken, std::memory_order_relaxed) + taken;
  if (total > peak.load(std::memory_order_relaxed)) peak.store(total, std::memory_order_relaxed);
  return block;
}

void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  now.fetch_sub(malloc_usable_size(block), std::memory_order_relaxed);
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace thence::bench {

std::size_t heap_now() { return now.load(); }
std::size_t heap_peak() { return peak.load(); }
void forget_heap_peak() { peak.store(now.load()); }

}  // namespace thence::bench
