// Errors in the use of the command line, with the nearest valid spelling.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/flags.h"

namespace thence::cli {

/// Thrown while the command line is parsed.
struct UsageError {
  Error error;
};

using CommandPath = std::vector<const DeclaredCommand*>;  // outermost first

Error unknown_command(const std::list<DeclaredCommand>& commands, const std::string& name);
Error wrong_choice(const std::string& flag, const std::string& value,
                   const std::vector<std::string>& choices);
/// `expected`: "a whole number from 1 to 8".
Error wrong_value(const std::string& flag, const std::string& value, const std::string& expected);
/// For arguments that the parser did not use: names the first unknown option, else the first argument.
Error unexpected(const CommandPath& path, const std::vector<std::string>& arguments);
/// `key` is the name of the flag or positional argument as it was declared.
Error missing_argument(const CommandPath& path, const std::string& key);
Error missing_value(const CommandPath& path, const std::string& key);
Error given_twice(const CommandPath& path, const std::string& key);
/// For errors of the parser that have no wording here.
Error other_usage(const CommandPath& path, const std::string& text);

}  // namespace thence::cli
