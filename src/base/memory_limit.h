// The memory that this process may use. The kernel enforces the limit (RLIMIT_DATA) on what the process can
// write, which leaves out mapped files: weights do not count. It does not see pages of a private mapping that
// were copied and are read-only again; those are charged here, and lower what is left.
#pragma once

#include <cstdint>

namespace thence::base {

/// Limits the memory of this process, in bytes. Returns false if the system refuses.
bool limit_memory(std::uint64_t bytes);
/// The limit; 0: none.
std::uint64_t memory_limit();
/// What to do when memory is exhausted, as an error advises.
const char* out_of_memory_remedy();
/// For libraries that do not allocate with `new`: does what `new` does where memory is exhausted.
[[noreturn]] void report_exhausted_memory();
/// Before Python replaces or follows this process, which sets the limit itself once it has started.
void lift_memory_limit();

/// Charges copied pages of a mapping. Returns false if they exceed the limit.
bool charge_memory(const void* mapping, std::uint64_t bytes);
/// Takes the charge of a mapping back, if there is one.
void release_memory(const void* mapping);

}  // namespace thence::base
