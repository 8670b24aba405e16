#include "query/layers.h"

#include <charconv>
#include <limits>

#include "base/text.h"

namespace thence::query {
namespace {

// Reads a number at the front of the text and removes it.
std::optional<std::int64_t> take_number(std::string_view& text) {
  const bool is_negative = text.starts_with('-');
  const std::string_view digits = text.substr(is_negative ? 1 : 0, text.find('-', 1) - (is_negative ? 1 : 0));
  std::int64_t number = 0;
  if (!base::is_digits(digits) ||
      std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc())
    return std::nullopt;
  if (is_negative && number == 0) return std::nullopt;  // there is no layer before the first one
  text.remove_prefix(static_cast<std::size_t>(digits.data() + digits.size() - text.data()));
  return is_negative ? -number : number;
}

constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

}  // namespace

bool LayerRange::has(std::uint64_t layer, std::uint64_t count) const {
  const auto from_start = [&](std::int64_t number) {
    return number < 0 ? number + static_cast<std::int64_t>(count) : number;
  };
  const auto number = static_cast<std::int64_t>(layer);
  return from_start(first) <= number && number <= from_start(last);
}

std::optional<LayerRange> parse_layers(std::string_view text) {
  const std::optional<std::int64_t> first = take_number(text);
  if (!first) return std::nullopt;
  if (text.empty()) return LayerRange{*first, *first};
  text.remove_prefix(1);  // the dash
  if (text.empty()) return LayerRange{*first, no_end};
  const std::optional<std::int64_t> last = take_number(text);
  if (!last || !text.empty()) return std::nullopt;
  const bool is_comparable = (*first < 0) == (*last < 0);
  if (is_comparable && *last < *first) return std::nullopt;
  return LayerRange{*first, *last};
}

}  // namespace thence::query
