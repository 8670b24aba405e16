// A map in the format that was asked for.
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

/// The columns that were asked for; by default all in csv and `usual` in a table. None, and a word about it,
/// when there is no such column.
std::optional<std::vector<output::Column>> columns_of(const MapFormat& format,
                                                      const std::vector<std::string>& usual);

/// Writes it where the flags say, and a line about the whole to standard error.
int deliver_map(const semantics::Map& map, const ModelFlags& flags, std::string_view format,
                const std::vector<output::Column>& columns);

}  // namespace thence::cli
