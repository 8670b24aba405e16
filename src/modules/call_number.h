#pragma once
#include <cstdint>
#include <optional>

namespace thence::modules {

/// Which call of a module's forward, from 0; empty if unknown. As std::optional, in half of its memory: there
/// is one in every piece of evidence and every recorded operation.
class CallNumber {
 public:
  constexpr CallNumber() = default;
  constexpr CallNumber(std::nullopt_t) {}
  constexpr CallNumber(std::uint32_t number) : number_(number) {}

  constexpr explicit operator bool() const { return number_ != none; }
  constexpr std::uint32_t operator*() const { return number_; }
  constexpr std::uint32_t value_or(std::uint32_t other) const { return *this ? number_ : other; }
  constexpr void reset() { number_ = none; }
  constexpr bool operator==(const CallNumber&) const = default;

 private:
  static constexpr std::uint32_t none = 0xffffffff;  // no module has so many calls
  std::uint32_t number_ = none;
};

}  // namespace thence::modules
