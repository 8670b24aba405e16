// Writing a file so that it is there whole or not at all: a temporary file beside it, flushed to disk, then renamed.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/writer.h"

namespace thence::base {

/// Runs `write` and puts what it wrote at `path`. On failure the old file, if there was one, is untouched.
std::optional<Error> write_atomically(const std::string& path, const std::function<void(Writer&)>& write);

}  // namespace thence::base
