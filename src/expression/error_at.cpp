#include "expression/error_at.h"

#include <algorithm>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "expression/limits.h"

namespace thence::expression {
namespace {

// The characters of a text, each printable and one column wide, so that a caret can be placed below them.
std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(base::utf8_length(text), 1);
    const std::string_view one = text.substr(0, length);
    const bool is_space = one == "\n" || one == "\t" || one == "\r";
    characters.push_back(is_space ? " " : base::is_printable(one) ? one : "?");
    text.remove_prefix(length);
  }
  return characters;
}

}  // namespace

std::string quoted(std::string_view text) {
  if (text.size() <= max_quoted_bytes) return base::printable(text);
  return base::printable(text.substr(0, max_quoted_bytes)) + "...";
}

Error error_at(std::string_view expression, std::size_t offset, const char* code, std::string_view what,
               std::string hint) {
  const std::vector<std::string_view> characters = characters_of(expression);
  const std::size_t position = characters_of(expression.substr(0, offset)).size();
  // Two thirds of the excerpt precede the position, because the cause of an error is often there.
  std::size_t first = 0, last = characters.size();
  if (characters.size() > max_excerpt_characters) {
    constexpr std::size_t before = max_excerpt_characters * 2 / 3;
    first = std::min(position > before ? position - before : 0, characters.size() - max_excerpt_characters);
    last = first + max_excerpt_characters;
  }
  const std::string_view cut_start = first > 0 ? "..." : "", cut_end = last < characters.size() ? "..." : "";
  std::string excerpt(cut_start);
  for (std::size_t i = first; i < last; ++i) excerpt += characters[i];
  excerpt += cut_end;
  const std::string indent(cut_start.size() + position - first, ' ');
  return {ErrorKind::usage, code,
          base::format("expression, position {}: {}\n    {}\n    {}^", position + 1, what, excerpt, indent),
          std::move(hint)};
}

}  // namespace thence::expression
