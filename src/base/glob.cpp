#include "base/glob.h"

#include <algorithm>

#include "base/text.h"

namespace thence::base {
namespace {

using Captures = std::vector<std::string_view>;

constexpr std::string_view wildcards = "*?";
constexpr std::size_t no_position = static_cast<std::size_t>(-1);

// Backtracks only to the last star: whatever an earlier star could match, the last one can match as well.
bool word_matches(std::string_view pattern, std::string_view word, Captures* captures) {
  std::size_t p = 0, w = 0, star = no_position, began = 0, from = 0;
  const auto end_star = [&] {
    if (captures != nullptr && star != no_position) captures->push_back(word.substr(began, from - began));
  };
  while (w < word.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      end_star();
      star = p++;
      began = from = w;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == word[w])) {
      ++p;
      ++w;
    } else if (star != no_position) {
      p = star + 1;
      w = ++from;
    } else {
      return false;
    }
  }
  if (pattern.find_first_not_of('*', p) != std::string_view::npos) return false;
  end_star();
  if (captures != nullptr)
    captures->resize(captures->size() + pattern.size() - p);  // remaining stars match nothing
  return true;
}

std::size_t find_longest_run(std::string_view pattern) {
  const std::string_view wildcard = pattern.find("**") == std::string_view::npos ? "*" : "**";
  std::size_t longest = 1;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t end = std::min(pattern.find(wildcard, at), pattern.size());
    longest = std::max(longest, end - at);
    at = end + wildcard.size();
  }
  return longest;
}

// Whether a path ends like the pattern after its last wildcard, which decides most cases quickly. The dot
// after `**` is optional.
bool literal_suffix_matches(std::string_view pattern, std::string_view path) {
  for (; !pattern.empty(); pattern.remove_suffix(1), path.remove_suffix(1)) {
    const char last = pattern.back();
    if (last == '*' || last == '?' || (last == '.' && pattern.ends_with("*."))) return true;
    if (path.empty() || path.back() != last) return false;
  }
  return true;
}

// Iterates over the parts of a path.
class PathCursor {
 public:
  explicit PathCursor(std::string_view path) : path_(path), begin_(path.empty() ? 1 : 0) { find_end(); }

  bool ended() const { return begin_ > path_.size(); }
  std::string_view word() const { return path_.substr(begin_, end_ - begin_); }
  void next() {
    begin_ = end_ + 1;
    find_end();
  }
  /// The parts before `later`, at least one.
  std::string_view up_to(const PathCursor& later) const {
    return path_.substr(begin_, later.begin_ - 1 - begin_);
  }

 private:
  void find_end() { end_ = std::min(path_.find('.', begin_), path_.size()); }

  std::string_view path_;
  std::size_t begin_, end_ = 0;  // of the current part
};

}  // namespace

Glob::Glob(std::string_view pattern)
    : text_(pattern),
      longest_run_(find_longest_run(pattern)),
      is_literal_(pattern.find_first_of(wildcards) == std::string_view::npos) {
  if (pattern.empty()) return;
  for (const std::string_view part : split(pattern, '.'))
    parts_.push_back({std::string(part), kind_of(part)});
}

Glob::PartKind Glob::kind_of(std::string_view part) {
  if (part == "**") return PartKind::double_star;
  if (part == "*") return PartKind::single_star;
  return part.find_first_of(wildcards) == std::string_view::npos ? PartKind::literal : PartKind::wildcard;
}

bool Glob::Part::matches(std::string_view word, Captures* captures) const {
  if (kind == PartKind::literal) return word == text;
  if (kind == PartKind::wildcard) return word_matches(text, word, captures);
  if (captures != nullptr) captures->push_back(word);
  return true;
}

// If a part does not match, the last `**` matches one more part. Earlier parts need no backtracking.
bool Glob::matches(std::string_view path, Captures* captures) const {
  if (is_literal_) return path == text_;
  if (!literal_suffix_matches(text_, path)) return false;
  std::size_t part = 0, double_star = no_position, capture_count = 0;
  PathCursor cursor(path), began = cursor, from = cursor;
  while (!cursor.ended()) {
    if (part < parts_.size() && parts_[part].kind == PartKind::double_star) {
      double_star = part++;
      began = from = cursor;
      if (captures == nullptr) continue;
      captures->emplace_back();
      capture_count = captures->size();
    } else if (part < parts_.size() && parts_[part].matches(cursor.word(), captures)) {
      ++part;
      cursor.next();
    } else if (double_star != no_position) {
      part = double_star + 1;
      from.next();
      cursor = from;
      if (captures == nullptr) continue;
      captures->resize(capture_count);
      captures->back() = began.up_to(from);
    } else {
      return false;
    }
  }
  if (captures != nullptr) captures->resize(captures->size() + parts_.size() - part);
  return std::all_of(parts_.begin() + static_cast<std::ptrdiff_t>(part), parts_.end(),
                     [](const Part& left) { return left.kind == PartKind::double_star; });
}

bool Glob::matches_word(std::string_view word) const {
  return is_literal_ ? word == text_ : word_matches(text_, word, nullptr);
}

std::size_t Glob::star_count() const {
  std::size_t stars = 0;
  for (const Part& part : parts_)
    stars += part.kind == PartKind::double_star
                 ? 1
                 : static_cast<std::size_t>(std::count(part.text.begin(), part.text.end(), '*'));
  return stars;
}

}  // namespace thence::base
