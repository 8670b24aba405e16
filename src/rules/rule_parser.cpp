#include "rules/rule_parser.h"

#include <algorithm>

#include "base/format.h"
#include "base/nearest_names.h"
#include "base/text.h"
#include "modules/module_tree.h"
#include "rules/limits.h"
#include "rules/target.h"

namespace thence::rules {
namespace {

using base::Glob;

constexpr std::string_view selecting[] = {"path", "class"};
constexpr std::string_view joining[] = {"path", "class", "as"};
constexpr std::string_view renaming[] = {"path", "class", "to"};
constexpr std::string_view naming[] = {"path", "class", "semantic_type", "component",
                                       "semantic_classification"};

std::span<const std::string_view> keys_of(RuleKind kind) {
  switch (kind) {
    case RuleKind::join: return joining;
    case RuleKind::rename: return renaming;
    case RuleKind::role: return naming;
    default: return selecting;
  }
}

bool is_target(const Entry& entry) { return entry.key == "to" || entry.key == "as"; }

bool well_formed(std::string_view dotted) {
  return !dotted.empty() && dotted.front() != '.' && dotted.back() != '.' &&
         dotted.find("..") == std::string_view::npos && base::is_printable(dotted);
}

}  // namespace

Error RuleParser::rule_error(SourcePosition position, const std::string& what,
                             const std::string& hint) const {
  return {ErrorKind::bad_input, "R003", base::format("{}: {}", format_position(file_, position), what), hint};
}

Error RuleParser::unknown_key(const Entry& entry, std::span<const std::string_view> known) const {
  const std::string_view meant = base::nearest_word(entry.key, known);
  return {ErrorKind::bad_input, "R002",
          base::format("{}: unknown key '{}'", format_position(file_, entry.position),
                       base::printable(entry.key.substr(0, max_word_bytes))),
          base::format("{}keys: {}", meant.empty() ? "" : base::format("did you mean '{}'? ", meant),
                       base::joined(known, ", "))};
}

Result<Rule> RuleParser::rule(RuleKind kind, const Value& table) const {
  Rule rule;
  rule.kind = kind;
  rule.position = table.position;
  const std::span<const std::string_view> known = keys_of(kind);
  SourcePosition target = table.position;
  for (const Entry& entry : table.entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) return unknown_key(entry, known);
    if (const OptionalError error = read_entry(entry, rule)) return *error;
    if (is_target(entry)) target = entry.value.position;
  }
  if (const OptionalError error = check_selects(rule)) return *error;
  if (const OptionalError error = check_role(rule)) return *error;
  if (const OptionalError error = check_new_path(rule, target)) return *error;
  return rule;
}

RuleParser::OptionalError RuleParser::read_entry(const Entry& entry, Rule& rule) const {
  if (entry.key == "path") return read_patterns(entry, rule.paths);
  if (entry.key == "class") return read_patterns(entry, rule.classes);
  if (is_target(entry)) return read_target(entry, rule.to);
  if (entry.key == "semantic_type") return read_word(entry, rule.semantic_type);
  if (entry.key == "component") return read_word(entry, rule.component);
  return read_word(entry, rule.classification);
}

RuleParser::OptionalError RuleParser::check_selects(const Rule& rule) const {
  if (!rule.paths.empty() || !rule.classes.empty()) return {};
  return rule_error(rule.position, base::format("this {} has neither path nor class", name_of(rule.kind)),
                    "say which modules it is about, such as path = \"encoder.layer.*\"");
}

RuleParser::OptionalError RuleParser::check_role(const Rule& rule) const {
  const bool has_word =
      !rule.semantic_type.empty() || !rule.component.empty() || !rule.classification.empty();
  if (rule.kind != RuleKind::role || has_word) return {};
  return rule_error(rule.position, "this role gives no word",
                    "give semantic_type, component or semantic_classification");
}

// `target` is the position of the new path of a join or a rename.
RuleParser::OptionalError RuleParser::check_new_path(const Rule& rule, SourcePosition target) const {
  if (rule.kind != RuleKind::join && rule.kind != RuleKind::rename) return {};
  if (rule.paths.empty())
    return rule_error(rule.position, base::format("this {} has no path", name_of(rule.kind)),
                      "a new path is made of an old one: give path; class may narrow it down");
  if (rule.to.empty())
    return rule_error(rule.position, base::format("this {} does not say the new path", name_of(rule.kind)),
                      base::format("add {} = \"...\"", keys_of(rule.kind).back()));
  return check_stars(rule, target);
}

RuleParser::OptionalError RuleParser::read_patterns(const Entry& entry, std::vector<Glob>& globs) const {
  if (entry.value.type != Value::Type::list) return read_pattern(entry.value, globs);
  for (const Value& item : entry.value.items)
    if (auto error = read_pattern(item, globs)) return error;
  if (globs.empty())
    return rule_error(entry.value.position, base::format("{} is an empty list", entry.key), "give a pattern");
  return {};
}

RuleParser::OptionalError RuleParser::read_pattern(const Value& value, std::vector<Glob>& globs) const {
  constexpr const char* example = "such as \"encoder.layer.*.attention\" or [\"**.dropout\", \"**.act\"]";
  if (value.type != Value::Type::text)
    return rule_error(value.position, "a pattern must be a text, or several in a list", example);
  const std::string& text = value.text;
  if (text.size() > Glob::max_length)
    return rule_error(value.position, base::format("a pattern has {} bytes at most", Glob::max_length),
                      "** stands for any number of names");
  if (!well_formed(text))
    return rule_error(value.position, "a pattern is names with one dot between two", example);
  for (const std::string_view name : base::split(text, '.'))
    if (name != "**" && name.find("**") != std::string_view::npos)
      return rule_error(value.position, "** stands for whole names, and here it is part of one",
                        "write * within a name, and ** between dots");
  globs.emplace_back(text);
  return {};
}

RuleParser::OptionalError RuleParser::read_word(const Entry& entry, std::string& word) const {
  const std::string& text = entry.value.text;
  if (entry.value.type != Value::Type::text || text.empty() || text.size() > max_word_bytes ||
      !base::is_printable(text))
    return rule_error(entry.value.position,
                      base::format("{} must be a word of 1 to {} bytes", entry.key, max_word_bytes),
                      "such as \"attention\"");
  word = text;
  return {};
}

RuleParser::OptionalError RuleParser::read_target(const Entry& entry, std::string& target) const {
  const std::string& text = entry.value.text;
  if (entry.value.type != Value::Type::text || !well_formed(text) ||
      text.size() > modules::ModuleTree::max_path_length)
    return rule_error(entry.value.position, base::format("{} must be a path", entry.key),
                      "such as \"encoder.block.{1}\"; {1} is what the first star stood for");
  if (text.find('*') != std::string::npos)
    return rule_error(entry.value.position, base::format("{} is a path, not a pattern", entry.key),
                      "write {1} for what the first star stood for");
  target = text;
  return {};
}

// A number in braces must refer to a star, whichever of the patterns matches.
RuleParser::OptionalError RuleParser::check_stars(const Rule& rule, SourcePosition target) const {
  const std::optional<std::size_t> most = max_star_number(rule.to);
  if (!most)
    return rule_error(target, "braces in a new path hold the number of a star",
                      "such as {1}, and no other braces");
  for (const Glob& glob : rule.paths)
    if (*most > glob.star_count())
      return rule_error(target,
                        base::format("{{{}}} stands for a star that '{}' does not have", *most, glob.text()),
                        base::format("that pattern has {} of them", glob.star_count()));
  return {};
}

}  // namespace thence::rules
