// The formats of `thence convert` that are text, by name.
#pragma once

#include <span>
#include <string_view>

#include "base/writer.h"
#include "semantics/map.h"

namespace thence::output {

struct TextFormat {
  std::string_view name;
  void (*write)(const semantics::Map& map, base::Writer& out);
};

std::span<const TextFormat> text_formats();
/// Null if there is no such format.
const TextFormat* find_text_format(std::string_view name);

}  // namespace thence::output
