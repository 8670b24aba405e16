#include "query/layers.h"

#include <charconv>
#include <limits>

#include "base/text.h"

namespace thence::query {
namespace {

std::optional<std::uint64_t> read_number(std::string_view text) {
  std::uint64_t number = 0;
  if (!base::is_digits(text) ||
      std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc())
    return std::nullopt;
  return number;
}

}  // namespace

std::optional<LayerRange> parse_layers(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::optional<std::uint64_t> first = read_number(text.substr(0, dash));
  if (!first) return std::nullopt;
  if (dash == std::string_view::npos) return LayerRange{*first, *first};
  if (dash + 1 == text.size()) return LayerRange{*first, std::numeric_limits<std::uint64_t>::max()};
  const std::optional<std::uint64_t> last = read_number(text.substr(dash + 1));
  if (!last || *last < *first) return std::nullopt;
  return LayerRange{*first, *last};
}

}  // namespace thence::query
