// Help texts, laid out from the declared commands.
#pragma once

#include <list>
#include <string>

#include "cli/usage.h"

namespace thence::cli {

/// `thence --help`: one line per command, grouped by purpose, at most 80 columns.
std::string program_help(const std::list<DeclaredCommand>& commands);
/// `thence COMMAND --help`: summary, usage, details, options by section, examples, exit codes.
std::string command_help(const CommandPath& path);

/// "thence rules check"
std::string full_command(const CommandPath& path);
/// "thence diff A B [options]"
std::string usage_line(const CommandPath& path);

}  // namespace thence::cli
