// A map as CSV (RFC 4180), for spreadsheets and scripts.
#include "output/formats.h"

namespace thence::output {

void write_map_csv(const semantics::Map& map, const Nodes& nodes, const std::vector<Column>& columns,
                   Formulas formulas, base::Writer& out) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out.add(',');
    out.add(columns[i].name);
  }
  out.add("\n");
  for (std::size_t row = 0; row < nodes.size() && out.ok(); ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) out.add(',');
      append_csv_field(out.buffer(), columns[i].text(map, nodes[row]), formulas);
    }
    out.add("\n");
  }
  out.flush();
}

}  // namespace thence::output
