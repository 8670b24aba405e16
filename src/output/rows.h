// Rows: a small table of words and counts, in any of the formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/writer.h"

namespace thence::output {

/// Words, a number, or nothing.
using Cell = std::variant<std::string, std::uint64_t, std::int64_t, double, std::monostate>;

struct Rows {
  std::string_view schema;                                   // of the JSON document
  std::string_view list;                                     // what its rows are called there
  std::vector<std::pair<std::string_view, Cell>> head = {};  // what it says before them
  std::vector<std::string_view> columns;
  std::vector<std::vector<Cell>> cells = {};
};

/// table, json, jsonl, csv, csv-raw, or names: the first column alone. Text in a table is shortened in the
/// middle to fit `width`; 0: unlimited.
void write_rows(const Rows& rows, std::string_view format, std::size_t width, base::Writer& out);

}  // namespace thence::output
