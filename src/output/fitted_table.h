// A table that fits a terminal: columns of little weight are left out, and long words cut, until it does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/writer.h"

namespace thence::output {

struct FittedColumn {
  std::string title;
  bool right = false;        // numbers stand at the right
  unsigned dispensable = 0;  // the highest goes first; 0 stays
  std::size_t least = 0;     // may be cut to so many characters; 0: not at all
  std::string_view colour = {};
  std::vector<std::string> cells = {};  // printable
};

struct FittedTable {
  std::vector<FittedColumn> columns;
  std::vector<bool> faint = {};  // rows of little interest
};

/// At most `width` columns of a terminal; shortened text ends in "…".
std::string cut_to(const std::string& text, std::size_t width);
/// The same with "…" in the middle: paths differ at both ends.
std::string cut_middle(const std::string& text, std::size_t width);

/// Shrinks the widest columns until all of them, two spaces apart, fit into `width`; none below `least`.
void fit_widths(std::vector<std::size_t>& widths, const std::vector<std::size_t>& least, std::size_t width);

/// Columns without a word in them are left out. `width` 0: as wide as it gets.
void write_fitted(FittedTable table, std::size_t width, bool colour, base::Writer& out);

}  // namespace thence::output
