// What could stand at the end of a command line: what the shells' completions ask for.
#pragma once

#include <list>
#include <string>
#include <vector>

#include "cli/flags.h"

namespace thence::cli {

/// How the scripts of `thence completions` call this program: thence __complete WORD...
inline constexpr const char* completion_command = "__complete";

/// Candidates for the last of the words, which come as they are typed, one a line, with a tab and their
/// meaning where there is one. A line
/// ":files" asks for names of files, ":nospace" for no space behind what is chosen.
std::vector<std::string> complete(const std::list<DeclaredCommand>& commands, std::vector<std::string> words);

/// The modules of a model, for a path that begins so: the next part only. None when the model cannot be read.
std::vector<std::string> complete_module(const std::string& model, const std::string& capture,
                                         const std::string& begun);

}  // namespace thence::cli
