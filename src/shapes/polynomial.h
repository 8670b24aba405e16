// Polynomial: a sum of products of named sizes, such as 64*batch*seq + 64*batch. All arithmetic is checked: a
// result that overflows 64 bits or has too many terms is empty.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace thence::shapes {

using SymbolId = std::uint32_t;

/// factor * symbols[0] * symbols[1] * ...; without symbols it is a number.
struct Term {
  std::int64_t factor = 0;
  std::vector<SymbolId> symbols = {};  // sorted; repeated for powers

  friend bool operator==(const Term&, const Term&) = default;
};

class Polynomial {
 public:
  static constexpr std::size_t max_terms = 64, max_degree = 12;

  Polynomial() = default;
  explicit Polynomial(std::int64_t number) : number_(number) {}
  static Polynomial of(SymbolId symbol);

  std::int64_t number() const { return number_; }            // the term without symbols
  const std::vector<Term>& terms() const { return terms_; }  // the other terms, in the order of their symbols
  bool is_number() const { return terms_.empty(); }
  /// Whether no term is negative, so that the value is never negative for any sizes.
  bool is_nonnegative() const;

  /// Adds in place. Returns false without a change if the result is not representable.
  bool add(const Polynomial& other, std::int64_t times = 1);
  std::optional<Polynomial> times(const Polynomial& other) const;
  /// Only if the divisor is a single term and there is no remainder.
  std::optional<Polynomial> divided_by(const Polynomial& other) const;

  friend bool operator==(const Polynomial&, const Polynomial&) = default;

 private:
  bool add(const Term& term);
  std::optional<Term> single_term() const;  // the whole polynomial, if it has one term

  std::int64_t number_ = 0;
  std::vector<Term> terms_;
};

}  // namespace thence::shapes
