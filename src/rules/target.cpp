#include "rules/target.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace thence::rules {
namespace {

// Calls `use` for each part of plain text and each number in braces (0 for plain text). False if braces are
// invalid.
template <class Use>
bool for_each_part(std::string_view target, Use use) {
  while (!target.empty()) {
    const std::size_t brace = std::min(target.find_first_of("{}"), target.size());
    if (brace > 0) use(target.substr(0, brace), std::size_t{0});
    target.remove_prefix(brace);
    if (target.empty()) break;
    const std::size_t end = target.find('}');
    if (target.front() != '{' || end == std::string_view::npos) return false;
    const std::string_view digits = target.substr(1, end - 1);
    std::size_t number = 0;
    if (!base::is_digits(digits) ||
        std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc() ||
        number == 0)
      return false;
    use(std::string_view(), number);
    target.remove_prefix(end + 1);
  }
  return true;
}

}  // namespace

std::optional<std::size_t> max_star_number(std::string_view target) {
  std::size_t most = 0;
  const bool good =
      for_each_part(target, [&](std::string_view, std::size_t number) { most = std::max(most, number); });
  return good ? std::optional(most) : std::nullopt;
}

std::string substitute_stars(std::string_view target, std::span<const std::string_view> captures) {
  std::string text;
  for_each_part(target, [&](std::string_view plain, std::size_t number) {
    text += number == 0 || number > captures.size() ? plain : captures[number - 1];
  });
  std::string path;
  for (const std::string_view name : base::split(text, '.'))
    if (!name.empty()) path.append(path.empty() ? "" : ".").append(name);
  return path;
}

}  // namespace thence::rules
