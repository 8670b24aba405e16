// Writes a file atomically: to a temporary file in the same folder, which is flushed to disk and then
// renamed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

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

/// A file to write: its path, the function that writes it, and what happens to a link.
struct FileToWrite {
  std::string path;
  std::function<void(Writer&)> write;
  SymlinkPolicy policy = SymlinkPolicy::follow;
};

/// Writes a file, the last one, and files that describe it, so that they always fit: all are complete before
/// one is replaced, another run in the same folder waits, and if one cannot be replaced, all old files are
/// restored. If the process is killed between the renames, those that describe the last one are missing.
/// Pipes and devices are replaced.
std::optional<Error> write_together(const std::vector<FileToWrite>& files);

/// Writes one file with code that writes by path: `make` fills an empty file at the given path. Pipes and
/// devices are not supported.
std::optional<Error> make_atomically(const std::string& path,
                                     const std::function<std::optional<Error>(const std::string&)>& make);

}  // namespace thence::base
