// Size: one dimension, or one number of a small tensor of shapes. A number, an expression of named sizes, or
// unknown.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shapes/polynomial.h"

namespace thence::shapes {

struct Size {
  enum class Kind : std::uint8_t { unknown, number, expression };
  std::int64_t value = 0;  // the number, or which expression
  Kind kind = Kind::unknown;

  Size() = default;
  Size(std::int64_t number) : value(number), kind(Kind::number) {}  // NOLINT: a number is a size
  bool known() const { return kind != Kind::unknown; }
  bool is_number() const { return kind == Kind::number; }
  bool is(std::int64_t number) const { return is_number() && value == number; }
  friend bool operator==(const Size&, const Size&) = default;
};

/// What is given for sizes that a model only names.
using NamedSizes = std::map<std::string, std::int64_t, std::less<>>;

/// The arithmetic of sizes. Equal expressions are equal sizes; what cannot be worked out is unknown.
class Sizes {
 public:
  explicit Sizes(NamedSizes given = {}) : given_(std::move(given)) {}

  /// A dimension as a model names it; sums and products in the name are taken apart.
  Size named(std::string_view name);
  Size add(Size a, Size b);
  Size subtract(Size a, Size b);
  Size multiply(Size a, Size b);
  /// Without remainder, else unknown.
  Size divide(Size a, Size b);
  /// Rounded down; of what is never negative. An expression that does not divide evenly gets a name of its
  /// own.
  Size floor_divide(Size a, Size b);
  /// Whether a size, which may be negative in a small tensor, surely is not.
  bool never_negative(Size a) const;

  /// An expression; numbers have none to look up.
  const Polynomial& expression(Size a) const { return expressions_[static_cast<std::size_t>(a.value)]; }
  Polynomial polynomial(Size a) const { return a.is_number() ? Polynomial(a.value) : expression(a); }
  /// "2*batch*64"; "?" when unknown.
  std::string text(Size a) const;
  std::string text(const Polynomial& polynomial) const;
  std::string text_of_symbols(std::span<const SymbolId> symbols) const;  // "batch*seq^2"

 private:
  Size symbol_size(std::string_view name);
  Size keep(Polynomial polynomial);

  NamedSizes given_;
  std::vector<std::string> symbols_;
  std::unordered_map<std::string, SymbolId> by_name_;
  std::vector<Polynomial> expressions_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;  // of expressions_
};

}  // namespace thence::shapes
