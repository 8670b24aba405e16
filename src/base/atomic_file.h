// Writes a file atomically: to a temporary file in the same folder, which is flushed to disk and then
// renamed.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/writer.h"

namespace thence::base {

/// How a symbolic link at the path is treated. If the user typed the name, the target of the link is
/// replaced. If the program derived the name, an attacker may have created the link, so the link itself is
/// replaced.
enum class SymlinkPolicy { follow, replace };

/// Whether the path, after following links, is neither a file nor a folder.
bool is_pipe_or_device(const std::string& path);

/// Runs `write` and stores its output at `path`. On failure, an existing file is not changed. A pipe or a
/// device is written to and not replaced, unless links are replaced: then it is replaced as well.
std::optional<Error> write_atomically(const std::string& path, const std::function<void(Writer&)>& write,
                                      SymlinkPolicy policy = SymlinkPolicy::follow);

/// The same for code that writes by path: `make` fills an empty file at the given path. Pipes and devices are
/// not supported.
std::optional<Error> make_atomically(const std::string& path,
                                     const std::function<std::optional<Error>(const std::string&)>& make);

/// Removes the temporary file of an unfinished write. For signal handlers.
void remove_temporary_file();

}  // namespace thence::base
