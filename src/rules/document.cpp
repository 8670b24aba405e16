#include "rules/document.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 8
#include <toml++/toml.h>

namespace thence::rules {
namespace {

// A dotted key makes a table in a table in a table. The parser takes those apart by recursion and limits only
// brackets, so a line may have so many dots and no more.
constexpr std::ptrdiff_t most_dots = 200;

constexpr std::size_t longest_words = 200;  // of the parser's own, which repeat what it read

Place place_of(const toml::source_region& region) { return {region.begin.line, region.begin.column}; }

Value value_of(const toml::node& node) {
  Value value;
  value.place = place_of(node.source());
  if (const auto* text = node.as_string()) {
    value.type = Value::Type::text;
    value.text = text->get();
  } else if (const auto* number = node.as_integer()) {
    value.type = Value::Type::number;
    value.number = number->get();
  } else if (const auto* list = node.as_array()) {
    value.type = Value::Type::list;
    for (const toml::node& item : *list) value.items.push_back(value_of(item));
  } else if (const auto* table = node.as_table()) {
    value.type = Value::Type::table;
    for (const auto& [key, inside] : *table)
      value.entries.push_back({std::string(key.str()), place_of(key.source()), value_of(inside)});
    std::sort(value.entries.begin(), value.entries.end(),
              [](const Entry& a, const Entry& b) { return a.place < b.place; });
  }
  return value;
}

std::optional<Error> check_size(std::string_view bytes, const std::string& file) {
  const auto too_large = [&](Place place, const std::string& what, const char* hint) {
    return Error{ErrorKind::bad_input, "R004", fmt::format("{}: {}", place_in(file, place), what), hint};
  };
  if (bytes.size() > Rules::largest_file)
    return too_large({1, 1},
                     fmt::format("a rules file has {} KiB at most, and this one has {} bytes",
                                 Rules::largest_file / 1024, bytes.size()),
                     "leave out what is not needed; is it a rules file?");
  Place place{1, 1};
  for (std::size_t at = 0; at <= bytes.size(); ++place.line) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    const std::string_view line = bytes.substr(at, end - at);
    if (std::count(line.begin(), line.end(), '.') > most_dots)
      return too_large(place, fmt::format("a line has {} dots at most", most_dots),
                       "write a long list over several lines");
    at = end + 1;
  }
  return std::nullopt;
}

}  // namespace

Result<Value> read_document(std::string_view bytes, const std::string& file) {
  if (auto error = check_size(bytes, file)) return *error;
  const toml::parse_result parsed = toml::parse(bytes);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return Error{ErrorKind::bad_input, "R001",
                 fmt::format("{}: it is not TOML: {}", place_in(file, place_of(error.source())),
                             base::printable(error.description().substr(0, longest_words))),
                 "mend that line; docs/rules.md describes the file"};
  }
  return value_of(parsed.table());
}

}  // namespace thence::rules
