#include "base/glob.h"

#include <algorithm>

#include "base/text.h"

namespace thence::base {
namespace {

using Taken = std::vector<std::string_view>;

constexpr std::string_view wildcards = "*?";
constexpr std::size_t never = static_cast<std::size_t>(-1);

// Backtracks only to the last star: whatever an earlier star could match, the last one can match as well.
bool word_fits(std::string_view pattern, std::string_view word, Taken* taken) {
  std::size_t p = 0, w = 0, star = never, began = 0, from = 0;
  const auto end_star = [&] {
    if (taken != nullptr && star != never) taken->push_back(word.substr(began, from - began));
  };
  while (w < word.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      end_star();
      star = p++;
      began = from = w;
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
  if (pattern.find_first_not_of('*', p) != std::string_view::npos) return false;
  end_star();
  if (taken != nullptr) taken->resize(taken->size() + pattern.size() - p);  // remaining stars match nothing
  return true;
}

// Whether a path ends like the pattern after its last wildcard, which decides most cases quickly. The dot
// after `**` is optional.
bool ends_alike(std::string_view pattern, std::string_view path) {
  for (; !pattern.empty(); pattern.remove_suffix(1), path.remove_suffix(1)) {
    const char last = pattern.back();
    if (last == '*' || last == '?' || (last == '.' && pattern.ends_with("*."))) return true;
    if (path.empty() || path.back() != last) return false;
  }
  return true;
}

// Iterates over the parts of a path.
class Walk {
 public:
  explicit Walk(std::string_view path) : path_(path), begin_(path.empty() ? 1 : 0) { find_end(); }

  bool ended() const { return begin_ > path_.size(); }
  std::string_view word() const { return path_.substr(begin_, end_ - begin_); }
  void next() {
    begin_ = end_ + 1;
    find_end();
  }
  /// The parts before `later`, at least one.
  std::string_view up_to(const Walk& later) const { return path_.substr(begin_, later.begin_ - 1 - begin_); }

 private:
  void find_end() { end_ = std::min(path_.find('.', begin_), path_.size()); }

  std::string_view path_;
  std::size_t begin_, end_ = 0;  // of the current part
};

}  // namespace

Glob::Glob(std::string_view pattern)
    : text_(pattern), exact_(pattern.find_first_of(wildcards) == std::string_view::npos) {
  if (pattern.empty()) return;
  for (const std::string_view part : split(pattern, '.'))
    parts_.push_back({std::string(part), kind_of(part)});
}

Glob::Kind Glob::kind_of(std::string_view part) {
  if (part == "**") return Kind::any;
  if (part == "*") return Kind::one;
  return part.find_first_of(wildcards) == std::string_view::npos ? Kind::literal : Kind::wild;
}

bool Glob::Part::fits(std::string_view word, Taken* taken) const {
  if (kind == Kind::literal) return word == text;
  if (kind == Kind::wild) return word_fits(text, word, taken);
  if (taken != nullptr) taken->push_back(word);
  return true;
}

// If a part does not match, the last `**` matches one more part. Earlier parts need no backtracking.
bool Glob::fits(std::string_view path, Taken* taken) const {
  if (exact_) return path == text_;
  if (!ends_alike(text_, path)) return false;
  std::size_t part = 0, many = never, kept = 0;
  Walk walk(path), began = walk, from = walk;
  while (!walk.ended()) {
    if (part < parts_.size() && parts_[part].kind == Kind::any) {
      many = part++;
      began = from = walk;
      if (taken == nullptr) continue;
      taken->emplace_back();
      kept = taken->size();
    } else if (part < parts_.size() && parts_[part].fits(walk.word(), taken)) {
      ++part;
      walk.next();
    } else if (many != never) {
      part = many + 1;
      from.next();
      walk = from;
      if (taken == nullptr) continue;
      taken->resize(kept);
      taken->back() = began.up_to(from);
    } else {
      return false;
    }
  }
  if (taken != nullptr) taken->resize(taken->size() + parts_.size() - part);
  return std::all_of(parts_.begin() + static_cast<std::ptrdiff_t>(part), parts_.end(),
                     [](const Part& left) { return left.kind == Kind::any; });
}

bool Glob::fits_word(std::string_view word) const {
  return exact_ ? word == text_ : word_fits(text_, word, nullptr);
}

std::size_t Glob::stars() const {
  std::size_t stars = 0;
  for (const Part& part : parts_)
    stars += part.kind == Kind::any
                 ? 1
                 : static_cast<std::size_t>(std::count(part.text.begin(), part.text.end(), '*'));
  return stars;
}

}  // namespace thence::base
