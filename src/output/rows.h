// Rows: a small table of text and counts, in any of the formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/writer.h"

namespace thence::output {

/// Text, a number, or no value.
using Cell = std::variant<std::string, std::uint64_t, std::int64_t, double, std::monostate>;

struct Rows {
  std::string_view schema;                                   // of the JSON document
  std::string_view list;                                     // the key of the rows in it
  std::vector<std::pair<std::string_view, Cell>> head = {};  // its other members, before the rows
  std::vector<std::string_view> columns;
  std::vector<std::vector<Cell>> cells = {};
};

/// Formats: table, json, jsonl, csv, csv-raw, or names (only the first column). Text in a table is shortened
/// in the middle to fit `width`; 0 means unlimited.
void write_rows(const Rows& rows, std::string_view format, std::size_t width, base::Writer& out);

}  // namespace thence::output
