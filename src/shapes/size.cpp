#include "shapes/size.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/format.h"
#include "base/text.h"
#include "shapes/thresholds.h"

namespace thence::shapes {
namespace {

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// Parses sums and products of names and numbers, as exporters write them: "2*s0 + 1". False for anything
// else.
class SizeParser {
 public:
  SizeParser(std::string_view text, Sizes& sizes) : text_(text), sizes_(sizes) {}

  template <class Name>
  Size read(Name name) {
    Size sum = 0;
    bool minus = take('-');
    do {
      const Size term = product(name);
      sum = minus ? sizes_.subtract(sum, term) : sizes_.add(sum, term);
      if (!sum.known() || at_ == text_.size()) return sum;
      minus = take('-');
    } while (minus || take('+'));
    return {};
  }

 private:
  template <class Name>
  Size product(Name name) {
    Size result = 1;
    do {
      skip();
      const std::size_t start = at_;
      while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
      const std::string_view word = text_.substr(start, at_ - start);
      if (word.empty()) return {};
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
      if (error == std::errc() && end == word.data() + word.size())
        result = sizes_.multiply(result, number);
      else if (word.front() >= '0' && word.front() <= '9')
        return {};
      else
        result = sizes_.multiply(result, name(word));
      if (!result.known()) return {};
    } while (take('*'));
    return result;
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string_view text_;
  Sizes& sizes_;
  std::size_t at_ = 0;
};

std::uint64_t hash_of(const Polynomial& polynomial) {
  std::uint64_t hash = static_cast<std::uint64_t>(polynomial.number());
  const auto mix = [&](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  for (const Term& term : polynomial.terms()) {
    mix(static_cast<std::uint64_t>(term.factor));
    for (const SymbolId symbol : term.symbols) mix(symbol + 1);
  }
  return hash;
}

}  // namespace

Size Sizes::symbol_size(std::string_view name) {
  if (const auto given = given_.find(name); given != given_.end()) {
    if (!used_given_.contains(name)) used_given_.emplace(name);
    return given->second;
  }
  const auto [at, is_new] = by_name_.try_emplace(std::string(name), static_cast<SymbolId>(symbols_.size()));
  if (is_new) symbols_.emplace_back(name);
  return intern(Polynomial::of(at->second));
}

std::vector<std::string_view> Sizes::unused_given() const {
  std::vector<std::string_view> unused;
  for (const auto& [name, size] : given_)
    if (!used_given_.contains(name)) unused.push_back(name);
  return unused;
}

Size Sizes::parse_dimension(std::string_view name) {
  if (name.empty() || name.size() > max_name_bytes) return {};
  const bool word = std::all_of(name.begin(), name.end(), is_word_char);
  if (!word) {
    const Size result = SizeParser(name, *this).read([&](std::string_view one) { return symbol_size(one); });
    if (result.known()) return result;
  }
  return symbol_size(word ? std::string(name) : base::format("({})", base::printable(name)));
}

Size Sizes::intern(Polynomial polynomial) {
  if (polynomial.is_number()) return polynomial.number();
  const std::uint64_t hash = hash_of(polynomial);
  Size result;
  result.kind = Size::Kind::expression;
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (expressions_[at->second] == polynomial) {
      result.value = at->second;
      return result;
    }
  result.value = static_cast<std::int64_t>(expressions_.size());
  by_hash_.emplace(hash, static_cast<std::uint32_t>(expressions_.size()));
  expressions_.push_back(std::move(polynomial));
  return result;
}

Size Sizes::add(Size a, Size b) {
  if (!a.known() || !b.known()) return {};
  if (std::int64_t sum = 0; a.is_number() && b.is_number())
    return __builtin_add_overflow(a.value, b.value, &sum) ? Size() : Size(sum);
  Polynomial sum = polynomial(a);
  return sum.add(polynomial(b)) ? intern(std::move(sum)) : Size();
}

Size Sizes::subtract(Size a, Size b) { return add(a, multiply(b, -1)); }

Size Sizes::multiply(Size a, Size b) {
  if (a.is(0) || b.is(0)) return 0;
  if (!a.known() || !b.known()) return {};
  if (std::int64_t product = 0; a.is_number() && b.is_number())
    return __builtin_mul_overflow(a.value, b.value, &product) ? Size() : Size(product);
  std::optional<Polynomial> product = polynomial(a).times(polynomial(b));
  return product ? intern(*std::move(product)) : Size();
}

Size Sizes::divide(Size a, Size b) {
  if (!a.known() || !b.known()) return {};
  if (b.is(1)) return a;
  std::optional<Polynomial> quotient = polynomial(a).divided_by(polynomial(b));
  return quotient ? intern(*std::move(quotient)) : Size();
}

Size Sizes::floor_divide(Size a, Size b) {
  if (!a.known() || !b.is_number() || b.value <= 0 || (a.is_number() && a.value < 0)) return divide(a, b);
  if (a.is_number()) return a.value / b.value;
  if (const Size exact = divide(a, b); exact.known()) return exact;
  const std::string name = text(a);
  if (name.size() + 8 > max_name_bytes) return {};
  const bool sum = name.find(' ') != std::string::npos;
  return symbol_size(base::format("({}{}{}//{})", sum ? "(" : "", name, sum ? ")" : "", b.value));
}

bool Sizes::is_nonnegative(Size a) const {
  if (a.is_number()) return a.value >= 0;
  return a.known() && expression(a).is_nonnegative();
}

std::string Sizes::text(Size a) const { return a.known() ? text(polynomial(a)) : "?"; }

std::string Sizes::text_of_symbols(std::span<const SymbolId> symbols) const {
  std::string text;
  for (std::size_t i = 0, next = 0; i < symbols.size(); i = next) {
    for (next = i; next < symbols.size() && symbols[next] == symbols[i]; ++next) {
    }
    if (i > 0) text += '*';
    text += symbols_[symbols[i]];
    if (next - i > 1) text += base::format("^{}", next - i);
  }
  return text;
}

std::string Sizes::text(const Polynomial& polynomial) const {
  std::string text;
  const auto add = [&](const Term& term) {
    const bool minus = term.factor < 0;
    text += text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    const std::uint64_t factor =
        minus ? 0 - static_cast<std::uint64_t>(term.factor) : static_cast<std::uint64_t>(term.factor);
    if (factor != 1 || term.symbols.empty()) text += std::to_string(factor);
    const std::string names = text_of_symbols(term.symbols);
    if (factor != 1 && !names.empty()) text += '*';
    text += names;
  };
  for (const Term& term : polynomial.terms()) add(term);
  if (polynomial.number() != 0 || text.empty()) add({polynomial.number()});
  return text;
}

}  // namespace thence::shapes
