#include "base/memory_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <string_view>

namespace thence::base {
namespace {

constexpr std::uint64_t mib = 1 << 20;

std::uint64_t system_limit() {
  rlimit data{};
  getrlimit(RLIMIT_DATA, &data);
  return data.rlim_cur;
}

// Runs in a process of its own, because a limit stays.
void check_charges() {
  const std::uint64_t before = system_limit();
  const int one = 0, other = 0;
  const auto require = [](bool is_right) {
    if (!is_right) _Exit(1);
  };
  require(std::string_view(out_of_memory_remedy()).find("--max-memory") == std::string_view::npos);
  require(charge_memory(&one, 1000 * mib));  // without a limit, nothing is counted
  require(limit_memory(100 * mib) && memory_limit() == 100 * mib && system_limit() == 100 * mib);
  require(std::string_view(out_of_memory_remedy()).find("--max-memory") != std::string_view::npos);
  require(charge_memory(&one, 60 * mib) && system_limit() == 40 * mib);
  require(!charge_memory(&other, 41 * mib) && system_limit() == 40 * mib);
  require(charge_memory(&other, 30 * mib) && system_limit() == 10 * mib);
  release_memory(&one);
  require(system_limit() == 70 * mib);
  release_memory(&one);  // no charge
  require(system_limit() == 70 * mib);
  lift_memory_limit();
  require(memory_limit() == 0 && system_limit() == before);
  _Exit(0);
}

TEST(MemoryLimit, ChargesLowerWhatIsLeft) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer itself has more than any limit";
#else
  EXPECT_EXIT(check_charges(), testing::ExitedWithCode(0), "");
#endif
}

}  // namespace
}  // namespace thence::base
