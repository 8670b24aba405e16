#include "cli/print_map.h"

#include "base/format.h"

namespace thence::cli {

void add_map_format_flags(Command& command, ModelFlags& flags, MapFormat& format) {
  add_format_flag(command, flags, format.name);
  std::string columns = "Columns for table and csv:";
  for (const output::Column& column : output::all_columns()) columns += base::format(" {}", column.name);
  command.comma_list({.name = "--columns", .help = columns, .type = "NAME,..."}, format.columns);
}

std::optional<std::vector<output::Column>> columns_of(const MapFormat& format,
                                                      const std::vector<std::string>& usual) {
  if (format.columns.empty() && output::is_csv(format.name)) return output::all_columns();
  Result<std::vector<output::Column>> columns =
      output::find_columns(format.columns.empty() ? usual : format.columns);
  if (columns) return *std::move(columns);
  print_error(columns.error());
  return std::nullopt;
}

int write_map(const semantics::Map& map, const ModelFlags& flags, std::string_view format,
              const std::vector<output::Column>& columns, const std::vector<weights::Weight>* known) {
  const output::Nodes nodes(map.model());
  const int code = write_output(flags, [&](base::Writer& out) {
    if (format == "json")
      output::write_map_json(map, threads(flags), out, known);
    else if (format == "jsonl")
      output::write_map_jsonl(map, nodes, threads(flags), out);
    else if (output::is_csv(format))
      output::write_map_csv(map, nodes, columns, output::formulas_in(format), threads(flags), out);
    else
      output::write_map_table(map, nodes, columns, {table_width(flags), colour_on_output(flags)}, out);
  });
  if (code == done && !flags.quiet) std::fputs((output::summary_line(map) + "\n").c_str(), stderr);
  return code;
}

}  // namespace thence::cli
