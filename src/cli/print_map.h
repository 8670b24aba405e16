// Prints a map in the requested format.
#pragma once

#include <optional>

#include "cli/command.h"
#include "output/formats.h"

namespace thence::cli {

struct MapFormat {
  std::string name = "table";
  std::vector<std::string> columns;
};
void add_map_format_flags(Command& command, ModelFlags& flags, MapFormat& format);

/// The requested columns. The default is all columns in csv and `usual` in a table. If a column does not
/// exist, prints an error and returns nothing.
std::optional<std::vector<output::Column>> columns_of(const MapFormat& format,
                                                      const std::vector<std::string>& usual);

/// Writes the map to the output that the flags request, and a summary line to standard error. `known`: the
/// weights of a derived model, for json.
int write_map(const semantics::Map& map, const ModelFlags& flags, std::string_view format,
              const std::vector<output::Column>& columns,
              const std::vector<weights::Weight>* known = nullptr);

}  // namespace thence::cli
