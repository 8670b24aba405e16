#pragma once

#include <string>
#include <string_view>

#include "base/writer.h"

namespace thence::base {

/// What `write` writes to the Writer that it is given.
template <class Write>
std::string written_text(Write write) {
  std::string text;
  Writer out([&](std::string_view piece) {
    text.append(piece);
    return true;
  });
  write(out);
  out.flush();
  return text;
}

}  // namespace thence::base
