// The heap's high-water mark, through operator new and delete (replaced in heap.cpp).
#pragma once

#include <cstddef>

namespace thence::bench {

std::size_t heap_now();
std::size_t heap_peak();
/// From here on, the peak is counted again.
void forget_heap_peak();

}  // namespace thence::bench
