// A table that fits a terminal. It drops unimportant columns and shortens long text until it fits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/writer.h"

namespace thence::output {

struct FittedColumn {
  std::string title;
  bool right = false;          // right-aligned, for numbers
  unsigned drop_priority = 0;  // the highest is dropped first; 0 is never dropped
  std::size_t min_width = 0;   // minimum width when shortened; 0: never shortened
  std::string_view colour = {};
  std::vector<std::string> cells = {};  // printable text
};

struct FittedTable {
  std::vector<FittedColumn> columns;
  std::vector<bool> dim_rows = {};  // unimportant rows
};

/// Shortens text to at most `width` terminal columns; shortened text ends in "…".
std::string truncate(const std::string& text, std::size_t width);
/// The same with "…" in the middle, because paths differ at both ends.
std::string truncate_middle(const std::string& text, std::size_t width);

/// Shrinks the widest columns until all columns, two spaces apart, fit into `width`, but none below `least`.
void fit_widths(std::vector<std::size_t>& widths, const std::vector<std::size_t>& least, std::size_t width);

/// Empty columns are omitted. `width` 0 means unlimited.
void write_fitted_table(FittedTable table, std::size_t width, bool colour, base::Writer& out);

}  // namespace thence::output
