// Threshold: a named number on which a decision of an algorithm depends. It is a constant in release builds.
// A build with THENCE_TUNABLE reads it from the environment instead, so that tools.thresholds can measure the
// effect of other values.
#pragma once

#ifdef THENCE_TUNABLE
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#endif

namespace thence::base {

#ifdef THENCE_TUNABLE

#define THENCE_THRESHOLD inline const

/// The value of the environment variable THENCE_THRESHOLD_<name>, or `value` if it is not set.
template <class T>
T tuned(const char* name, T value) {
  const char* const set = std::getenv((std::string("THENCE_THRESHOLD_") + name).c_str());
  if (set == nullptr) return value;
  const std::string_view text = set;
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  std::fprintf(stderr, "THENCE_THRESHOLD_%s: not a number: %s\n", name, set);
  std::exit(2);
}

#else

/// Declares a threshold: THENCE_THRESHOLD double least_overlap = base::tuned("transfer_least_overlap", 0.5);
#define THENCE_THRESHOLD inline constexpr

template <class T>
consteval T tuned(const char* /*name*/, T value) {
  return value;
}

#endif

}  // namespace thence::base
