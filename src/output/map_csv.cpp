// A map as CSV (RFC 4180), for spreadsheets and scripts.
#include "base/text.h"
#include "output/formats.h"

namespace thence::output {

void append_csv_field(std::string& out, std::string_view raw) {
  const bool printable = base::is_printable(raw);
  const std::string escaped = printable ? std::string() : base::printable(raw);
  const std::string_view text = printable ? raw : escaped;
  if (text.find(',') == std::string_view::npos && text.find('"') == std::string_view::npos) {
    out += text;
    return;
  }
  out.push_back('"');
  for (const char c : text) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
}

void write_map_csv(const semantics::Map& map, const Nodes& nodes, const std::vector<Column>& columns,
                   base::Writer& out) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out.add(',');
    out.add(columns[i].name);
  }
  out.add("\n");
  for (std::size_t row = 0; row < nodes.size() && out.ok(); ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) out.add(',');
      append_csv_field(out.buffer(), columns[i].text(map, nodes[row]));
    }
    out.add("\n");
  }
  out.flush();
}

}  // namespace thence::output
