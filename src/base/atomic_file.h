// Writing a file so that it is there whole or not at all: a temporary file beside it, flushed to disk, then
// renamed.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/writer.h"

namespace thence::base {

/// What happens to a symbolic link at the path. For a name that the user typed, the file behind the link is
/// replaced. A name that the program derived may be planted in a hostile folder: the link itself is replaced.
enum class Links { follow, replace };

/// Whether the path, links followed, is neither a file nor a folder.
bool is_pipe_or_device(const std::string& path);

/// Runs `write` and puts what it wrote at `path`. On failure the old file, if there was one, is untouched. A
/// pipe or a device is written to, not replaced, unless links are replaced: then so are they.
std::optional<Error> write_atomically(const std::string& path, const std::function<void(Writer&)>& write,
                                      Links links = Links::follow);

/// The same for who writes by path: `make` fills an empty file at the path that it is given. What is no file
/// cannot be written to so.
std::optional<Error> make_atomically(const std::string& path,
                                     const std::function<std::optional<Error>(const std::string&)>& make);

/// Removes the temporary file of a write that will not be finished. For signal handlers.
void remove_unfinished();

}  // namespace thence::base
