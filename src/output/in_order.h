// Text made on several threads, written in order.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/writer.h"

namespace thence::output {

/// Appends the text of a piece; one for each thread.
using MakePiece = std::function<void(std::size_t piece, std::string& text)>;

/// Writes the pieces 0 to `pieces`, made on up to `jobs` threads. No more than a few are held at a time. Once
/// `out` fails, no more are made.
void write_in_order(std::size_t pieces, unsigned jobs, base::Writer& out,
                    const std::function<MakePiece()>& new_maker);

}  // namespace thence::output
