#include "query/glob.h"

#include <algorithm>

#include "base/text.h"

namespace thence::query {
namespace {

constexpr std::string_view wildcards = "*?";

// Goes back to the last star alone: what an earlier one could take, the last one can take, too.
bool word_fits(std::string_view pattern, std::string_view word) {
  constexpr std::size_t never = static_cast<std::size_t>(-1);
  std::size_t p = 0, w = 0, star = never, from = 0;
  while (w < word.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = w;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == word[w])) {
      ++p;
      ++w;
    } else if (star != never) {
      p = star + 1;
      w = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// The parts of a path, one after the other.
struct Walk {
  std::string_view rest;
  bool ended;

  explicit Walk(std::string_view path) : rest(path), ended(path.empty()) {}
  std::string_view word() const { return rest.substr(0, rest.find('.')); }
  void next() {
    const std::size_t dot = rest.find('.');
    ended = dot == std::string_view::npos;
    rest = ended ? std::string_view() : rest.substr(dot + 1);
  }
};

}  // namespace

Glob::Glob(std::string_view pattern)
    : text_(pattern), exact_(pattern.find_first_of(wildcards) == std::string_view::npos) {
  if (pattern.empty()) return;
  for (const std::string_view part : base::split(pattern, '.'))
    parts_.push_back({std::string(part), part == "**" ? Kind::any
                                         : part.find_first_of(wildcards) == std::string_view::npos
                                             ? Kind::literal
                                             : Kind::wild});
}

bool Glob::Part::fits(std::string_view word) const {
  return kind == Kind::literal ? word == text : word_fits(text, word);
}

bool Glob::fits(std::string_view path) const {
  if (exact_) return path == text_;
  constexpr std::size_t never = static_cast<std::size_t>(-1);
  std::size_t part = 0, many = never;
  Walk walk(path), from = walk;
  while (!walk.ended) {
    if (part < parts_.size() && parts_[part].kind == Kind::any) {
      many = part++;
      from = walk;
    } else if (part < parts_.size() && parts_[part].fits(walk.word())) {
      ++part;
      walk.next();
    } else if (many != never) {
      part = many + 1;
      from.next();
      walk = from;
    } else {
      return false;
    }
  }
  return std::all_of(parts_.begin() + static_cast<std::ptrdiff_t>(part), parts_.end(),
                     [](const Part& left) { return left.kind == Kind::any; });
}

bool Glob::fits_word(std::string_view word) const { return exact_ ? word == text_ : word_fits(text_, word); }

}  // namespace thence::query
