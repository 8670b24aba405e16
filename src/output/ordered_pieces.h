// Makes text on several threads and writes it in order.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/writer.h"

namespace thence::output {

/// Appends the text of a piece. Each thread has its own.
using MakePiece = std::function<void(std::size_t piece, std::string& text)>;

/// Writes the pieces from 0 up to `pieces`, made on up to `jobs` threads. At most a few are in memory at a
/// time. If `out` fails, no more pieces are made.
void write_pieces_in_order(std::size_t pieces, unsigned jobs, base::Writer& out,
                           const std::function<MakePiece()>& make_worker);

}  // namespace thence::output
