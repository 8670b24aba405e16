#include "rules/glob.h"

#include <array>
#include <cassert>

#include "base/text.h"

namespace thence::rules {

Glob::Glob(std::string text) : text_(std::move(text)) {
  for (const std::string_view name : base::split(text_, '.')) {
    Name& added = names_.emplace_back();
    if (name == "**") {
      added.any_number = true;
      ++stars_;
      continue;
    }
    for (const std::string_view piece : base::split(name, '*')) added.pieces.emplace_back(piece);
    stars_ += added.pieces.size() - 1;
  }
  assert(names_.size() <= most_names);
}

// The first piece begins the name, the last one ends it, and those between come in their order.
bool Glob::fits(const Name& name, std::string_view text, std::vector<std::string_view>* taken) {
  const std::vector<std::string>& pieces = name.pieces;
  if (pieces.size() == 1) return text == pieces.front();
  const std::string &first = pieces.front(), &last = pieces.back();
  if (text.size() < first.size() + last.size() || !text.starts_with(first) || !text.ends_with(last))
    return false;
  std::size_t at = first.size();
  const std::size_t end = text.size() - last.size();
  for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
    const std::size_t found = text.substr(0, end).find(pieces[i], at);
    if (found == std::string_view::npos) return false;
    if (taken != nullptr) taken->push_back(text.substr(at, found - at));
    at = found + pieces[i].size();
  }
  if (taken != nullptr) taken->push_back(text.substr(at, end - at));
  return true;
}

// When a name does not fit, the last `**` takes one more: what lies before it need not be tried again.
bool Glob::fits(std::span<const std::string_view> names, std::vector<std::string_view>* taken) const {
  // How a path ends settles most cases at once.
  if (names.empty() || (!names_.back().any_number && !fits(names_.back(), names.back(), nullptr)))
    return false;
  std::array<std::size_t, most_names + 1> begins{};  // where each name of the pattern stands
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t here = 0, at = 0, widest = none, past_widest = 0;
  while (at < names.size()) {
    begins[here] = at;
    if (here < names_.size() && names_[here].any_number) {
      widest = here++;
      past_widest = at;
    } else if (here < names_.size() && fits(names_[here], names[at], nullptr)) {
      ++here;
      ++at;
    } else {
      if (widest == none) return false;
      here = widest + 1;
      at = ++past_widest;
    }
  }
  while (here < names_.size() && names_[here].any_number) begins[here++] = at;
  if (here < names_.size()) return false;
  begins[here] = at;
  if (taken == nullptr) return true;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!names_[i].any_number) {
      fits(names_[i], names[begins[i]], taken);
    } else if (begins[i] == begins[i + 1]) {
      taken->emplace_back();
    } else {
      const std::string_view first = names[begins[i]], last = names[begins[i + 1] - 1];
      taken->emplace_back(first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data()));
    }
  }
  return true;
}

}  // namespace thence::rules
