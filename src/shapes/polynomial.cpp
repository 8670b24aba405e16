#include "shapes/polynomial.h"

#include <algorithm>
#include <iterator>

namespace thence::shapes {

Polynomial Polynomial::of(SymbolId symbol) {
  Polynomial made;
  made.terms_.push_back({1, {symbol}});
  return made;
}

bool Polynomial::is_nonnegative() const {
  return number_ >= 0 &&
         std::all_of(terms_.begin(), terms_.end(), [](const Term& term) { return term.factor >= 0; });
}

bool Polynomial::add(const Term& term) {
  if (term.symbols.empty()) return !__builtin_add_overflow(number_, term.factor, &number_);
  const auto at = std::lower_bound(terms_.begin(), terms_.end(), term,
                                   [](const Term& a, const Term& b) { return a.symbols < b.symbols; });
  if (at == terms_.end() || at->symbols != term.symbols) {
    if (terms_.size() == max_terms || term.symbols.size() > max_degree) return false;
    if (term.factor != 0) terms_.insert(at, term);
    return true;
  }
  if (__builtin_add_overflow(at->factor, term.factor, &at->factor)) return false;
  if (at->factor == 0) terms_.erase(at);
  return true;
}

bool Polynomial::add(const Polynomial& other, std::int64_t times) {
  std::int64_t number = 0;
  if (__builtin_mul_overflow(other.number_, times, &number)) return false;
  if (other.terms_.empty())
    return !__builtin_add_overflow(number_, number, &number) && (number_ = number, true);
  Polynomial sum = *this;
  if (!sum.add(Term{number})) return false;
  for (Term term : other.terms_)
    if (__builtin_mul_overflow(term.factor, times, &term.factor) || !sum.add(term)) return false;
  *this = std::move(sum);
  return true;
}

std::optional<Polynomial> Polynomial::times(const Polynomial& other) const {
  const auto all = [](const Polynomial& one) {
    std::vector<Term> terms = one.terms_;
    if (one.number_ != 0) terms.push_back({one.number_});
    return terms;
  };
  Polynomial product;
  const std::vector<Term> right = all(other);
  for (const Term& a : all(*this))
    for (const Term& b : right) {
      Term term;
      if (__builtin_mul_overflow(a.factor, b.factor, &term.factor)) return std::nullopt;
      std::merge(a.symbols.begin(), a.symbols.end(), b.symbols.begin(), b.symbols.end(),
                 std::back_inserter(term.symbols));
      if (!product.add(term)) return std::nullopt;
    }
  return product;
}

namespace {

// Empty if there is a remainder.
std::optional<Term> divided_term(const Term& term, const Term& by) {
  if (term.factor % by.factor != 0 ||
      !std::includes(term.symbols.begin(), term.symbols.end(), by.symbols.begin(), by.symbols.end()))
    return std::nullopt;
  Term quotient{term.factor / by.factor};
  std::set_difference(term.symbols.begin(), term.symbols.end(), by.symbols.begin(), by.symbols.end(),
                      std::back_inserter(quotient.symbols));
  return quotient;
}

}  // namespace

std::optional<Term> Polynomial::single_term() const {
  if (terms_.empty()) return Term{number_};
  if (terms_.size() > 1 || number_ != 0) return std::nullopt;
  return terms_.front();
}

std::optional<Polynomial> Polynomial::divided_by(const Polynomial& other) const {
  if (*this == other && (number_ != 0 || !terms_.empty())) return Polynomial(1);
  const std::optional<Term> divisor = other.single_term();
  if (!divisor) return std::nullopt;
  const Term& by = *divisor;
  if (by.factor == 0 || by.factor == -1) return std::nullopt;  // -1: the smallest number has no negation
  if (number_ % by.factor != 0 || (number_ != 0 && !by.symbols.empty())) return std::nullopt;
  Polynomial quotient(number_ / by.factor);
  for (const Term& term : terms_) {
    const std::optional<Term> divided = divided_term(term, by);
    if (!divided || !quotient.add(*divided)) return std::nullopt;
  }
  return quotient;
}

}  // namespace thence::shapes
