#include "rules/words.h"

#include <algorithm>

#include "base/format.h"
#include "base/nearest_names.h"
#include "base/text.h"
#include "modules/module_tree.h"
#include "rules/target.h"

namespace thence::rules {
namespace {

using base::Glob;

constexpr std::size_t longest_word = 64;

constexpr std::string_view selecting[] = {"path", "class"};
constexpr std::string_view joining[] = {"path", "class", "as"};
constexpr std::string_view renaming[] = {"path", "class", "to"};
constexpr std::string_view naming[] = {"path", "class", "semantic_type", "component",
                                       "semantic_classification"};

std::span<const std::string_view> keys_of(Kind kind) {
  switch (kind) {
    case Kind::join: return joining;
    case Kind::rename: return renaming;
    case Kind::role: return naming;
    default: return selecting;
  }
}

bool is_target(const Entry& entry) { return entry.key == "to" || entry.key == "as"; }

bool well_formed(std::string_view dotted) {
  return !dotted.empty() && dotted.front() != '.' && dotted.back() != '.' &&
         dotted.find("..") == std::string_view::npos && base::is_printable(dotted);
}

}  // namespace

Error Words::wrong(Place place, const std::string& what, const std::string& hint) const {
  return {ErrorKind::bad_input, "R003", base::format("{}: {}", place_in(file_, place), what), hint};
}

Error Words::unknown_key(const Entry& entry, std::span<const std::string_view> known) const {
  const std::string_view meant = base::nearest_word(entry.key, known);
  return {ErrorKind::bad_input, "R002",
          base::format("{}: unknown key '{}'", place_in(file_, entry.place),
                       base::printable(entry.key.substr(0, longest_word))),
          base::format("{}keys: {}", meant.empty() ? "" : base::format("did you mean '{}'? ", meant),
                       base::joined(known, ", "))};
}

Result<Rule> Words::rule(Kind kind, const Value& table) const {
  Rule rule;
  rule.kind = kind;
  rule.place = table.place;
  const std::span<const std::string_view> known = keys_of(kind);
  Place target = table.place;
  for (const Entry& entry : table.entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) return unknown_key(entry, known);
    if (const Fault fault = read_entry(entry, rule)) return *fault;
    if (is_target(entry)) target = entry.value.place;
  }
  if (const Fault fault = check_selects(rule)) return *fault;
  if (const Fault fault = check_role(rule)) return *fault;
  if (const Fault fault = check_new_path(rule, target)) return *fault;
  return rule;
}

Words::Fault Words::read_entry(const Entry& entry, Rule& rule) const {
  if (entry.key == "path") return read_patterns(entry, rule.paths);
  if (entry.key == "class") return read_patterns(entry, rule.classes);
  if (is_target(entry)) return read_target(entry, rule.to);
  if (entry.key == "semantic_type") return read_word(entry, rule.semantic_type);
  if (entry.key == "component") return read_word(entry, rule.component);
  return read_word(entry, rule.classification);
}

Words::Fault Words::check_selects(const Rule& rule) const {
  if (!rule.paths.empty() || !rule.classes.empty()) return {};
  return wrong(rule.place, base::format("this {} has neither path nor class", name_of(rule.kind)),
               "say which modules it is about, such as path = \"encoder.layer.*\"");
}

Words::Fault Words::check_role(const Rule& rule) const {
  const bool has_word =
      !rule.semantic_type.empty() || !rule.component.empty() || !rule.classification.empty();
  if (rule.kind != Kind::role || has_word) return {};
  return wrong(rule.place, "this role gives no word",
               "give semantic_type, component or semantic_classification");
}

// `target` is the position of the new path of a join or a rename.
Words::Fault Words::check_new_path(const Rule& rule, Place target) const {
  if (rule.kind != Kind::join && rule.kind != Kind::rename) return {};
  if (rule.paths.empty())
    return wrong(rule.place, base::format("this {} has no path", name_of(rule.kind)),
                 "a new path is made of an old one: give path; class may narrow it down");
  if (rule.to.empty())
    return wrong(rule.place, base::format("this {} does not say the new path", name_of(rule.kind)),
                 base::format("add {} = \"...\"", keys_of(rule.kind).back()));
  return check_stars(rule, target);
}

Words::Fault Words::read_patterns(const Entry& entry, std::vector<Glob>& globs) const {
  if (entry.value.type != Value::Type::list) return read_pattern(entry.value, globs);
  for (const Value& item : entry.value.items)
    if (auto fault = read_pattern(item, globs)) return fault;
  if (globs.empty())
    return wrong(entry.value.place, base::format("{} is an empty list", entry.key), "give a pattern");
  return {};
}

Words::Fault Words::read_pattern(const Value& value, std::vector<Glob>& globs) const {
  constexpr const char* example = "such as \"encoder.layer.*.attention\" or [\"**.dropout\", \"**.act\"]";
  if (value.type != Value::Type::text)
    return wrong(value.place, "a pattern must be a text, or several in a list", example);
  const std::string& text = value.text;
  if (text.size() > Glob::max_length)
    return wrong(value.place, base::format("a pattern has {} bytes at most", Glob::max_length),
                 "** stands for any number of names");
  if (!well_formed(text)) return wrong(value.place, "a pattern is names with one dot between two", example);
  for (const std::string_view name : base::split(text, '.'))
    if (name != "**" && name.find("**") != std::string_view::npos)
      return wrong(value.place, "** stands for whole names, and here it is part of one",
                   "write * within a name, and ** between dots");
  globs.emplace_back(text);
  return {};
}

Words::Fault Words::read_word(const Entry& entry, std::string& word) const {
  const std::string& text = entry.value.text;
  if (entry.value.type != Value::Type::text || text.empty() || text.size() > longest_word ||
      !base::is_printable(text))
    return wrong(entry.value.place,
                 base::format("{} must be a word of 1 to {} bytes", entry.key, longest_word),
                 "such as \"attention\"");
  word = text;
  return {};
}

Words::Fault Words::read_target(const Entry& entry, std::string& target) const {
  const std::string& text = entry.value.text;
  if (entry.value.type != Value::Type::text || !well_formed(text) ||
      text.size() > modules::ModuleTree::max_path_length)
    return wrong(entry.value.place, base::format("{} must be a path", entry.key),
                 "such as \"encoder.block.{1}\"; {1} is what the first star stood for");
  if (text.find('*') != std::string::npos)
    return wrong(entry.value.place, base::format("{} is a path, not a pattern", entry.key),
                 "write {1} for what the first star stood for");
  target = text;
  return {};
}

// A number in braces must refer to a star, whichever of the patterns matches.
Words::Fault Words::check_stars(const Rule& rule, Place target) const {
  const std::optional<std::size_t> most = most_star(rule.to);
  if (!most)
    return wrong(target, "braces in a new path hold the number of a star",
                 "such as {1}, and no other braces");
  for (const Glob& glob : rule.paths)
    if (*most > glob.star_count())
      return wrong(target,
                   base::format("{{{}}} stands for a star that '{}' does not have", *most, glob.text()),
                   base::format("that pattern has {} of them", glob.star_count()));
  return {};
}

}  // namespace thence::rules
