// Size: one dimension, or one element of a small tensor of sizes. It is a number, an expression of named
// sizes, or unknown.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shapes/polynomial.h"

namespace thence::shapes {

struct Size {
  enum class Kind : std::uint8_t { unknown, number, expression };
  std::int64_t value = 0;  // the number, or the index of the expression
  Kind kind = Kind::unknown;

  Size() = default;
  Size(std::int64_t number) : value(number), kind(Kind::number) {}  // NOLINT: a number is a size
  bool known() const { return kind != Kind::unknown; }
  bool is_number() const { return kind == Kind::number; }
  bool is(std::int64_t number) const { return is_number() && value == number; }
  friend bool operator==(const Size&, const Size&) = default;
};

/// Values for sizes that a model only names.
using NamedSizes = std::map<std::string, std::int64_t, std::less<>>;

/// The arithmetic of sizes. Equal expressions are equal sizes. A result that cannot be computed is unknown.
class Sizes {
 public:
  explicit Sizes(NamedSizes given = {}) : given_(std::move(given)) {}

  /// A dimension named by a model. Sums and products in the name are parsed.
  Size parse_dimension(std::string_view name);
  Size add(Size a, Size b);
  Size subtract(Size a, Size b);
  Size multiply(Size a, Size b);
  /// Unknown if there is a remainder.
  Size divide(Size a, Size b);
  /// Rounded down, for operands that are never negative. An expression that does not divide evenly becomes a
  /// new named size.
  Size floor_divide(Size a, Size b);
  /// Whether a size is known not to be negative. Elements of small tensors may be negative.
  bool is_nonnegative(Size a) const;

  /// Only for a size that is an expression, not for a number.
  const Polynomial& expression(Size a) const { return expressions_[static_cast<std::size_t>(a.value)]; }
  Polynomial polynomial(Size a) const { return a.is_number() ? Polynomial(a.value) : expression(a); }
  /// "2*batch*64"; "?" if unknown.
  std::string text(Size a) const;
  std::string text(const Polynomial& polynomial) const;
  std::string text_of_symbols(std::span<const SymbolId> symbols) const;  // "batch*seq^2"

  /// The given sizes that no dimension has used so far, and the names of those that have no value.
  std::vector<std::string_view> unused_given() const;
  const std::vector<std::string>& unset_names() const { return symbols_; }

 private:
  Size symbol_size(std::string_view name);
  Size intern(Polynomial polynomial);

  NamedSizes given_;
  std::set<std::string, std::less<>> used_given_;
  std::vector<std::string> symbols_;
  std::unordered_map<std::string, SymbolId> by_name_;
  std::vector<Polynomial> expressions_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;  // hash -> index in expressions_
};

}  // namespace thence::shapes
