// Candidates for the end of a command line, for shell completion.
#pragma once

#include <list>
#include <string>
#include <vector>

#include "cli/flags.h"

namespace thence::cli {

/// The command with which the scripts of `thence completions` call this program: thence __complete WORD...
inline constexpr const char* completion_command = "__complete";

/// Candidates for the last of the words, which are given as typed. One candidate per line, followed by a tab
/// and its description if there is one. The line ":files" requests file names, ":nospace" requests no space
/// after the chosen candidate.
std::vector<std::string> complete(const std::list<DeclaredCommand>& commands, std::vector<std::string> words);

/// The modules of a model whose paths begin with `begun`, up to the next dot. Empty if the model cannot be
/// read.
std::vector<std::string> complete_module(const std::string& model, const std::string& capture,
                                         const std::string& prefix);

}  // namespace thence::cli
