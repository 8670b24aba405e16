// What libFuzzer calls: the only target of the program.
#include <cstdint>

#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  thence::fuzz::targets().front().run({reinterpret_cast<const char*>(data), size});
  return 0;
}
