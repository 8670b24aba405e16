#include "cli/usage.h"

#include <algorithm>

#include "base/format.h"
#include "base/nearest_names.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/help.h"

namespace thence::cli {
namespace {

// "did you mean 'json'? ", or empty if no name is similar.
std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view found = base::nearest_word(word, known);
  return found.empty() ? "" : base::format("did you mean '{}'? ", found);
}

std::string help_hint(const CommandPath& path) {
  return base::format("run '{} --help' for the options", full_command(path));
}

Error usage_error(const char* code, std::string text, std::string hint) {
  return {ErrorKind::usage, code, std::move(text), std::move(hint)};
}

const DeclaredFlag* find_flag(const CommandPath& path, const std::string& key) {
  if (path.empty()) return nullptr;
  for (const DeclaredFlag& flag : path.back()->flags)
    if (flag.key == key || std::find(flag.names.begin(), flag.names.end(), key) != flag.names.end())
      return &flag;
  return nullptr;
}

std::vector<std::string> names_of(const std::list<DeclaredCommand>& commands) {
  std::vector<std::string> names;
  for (const DeclaredCommand& command : commands) names.push_back(command.name);
  return names;
}

}  // namespace

Error unknown_command(const std::list<DeclaredCommand>& commands, const std::string& name) {
  const std::vector<std::string> names = names_of(commands);
  const std::string near = suggestion(name, names);
  return usage_error("U007", base::format("unknown command '{}'", brief(name)),
                     near.empty() ? base::format("commands: {}", base::joined(names, ", "))
                                  : near + "run 'thence help' for all commands");
}

Error wrong_choice(const std::string& flag, const std::string& value,
                   const std::vector<std::string>& choices) {
  return usage_error("U026", base::format("{}: '{}' is not one of its values", flag, brief(value)),
                     base::format("{}values: {}", suggestion(value, choices), base::joined(choices, ", ")));
}

Error wrong_value(const std::string& flag, const std::string& value, const std::string& expected) {
  return usage_error("U026", base::format("{}: '{}' is not {}", flag, brief(value), expected),
                     base::format("give {}", expected));
}

Error unexpected(const CommandPath& path, const std::vector<std::string>& arguments) {
  const auto option = std::find_if(arguments.begin(), arguments.end(), [](const std::string& argument) {
    return argument.size() > 1 && argument.front() == '-';
  });
  if (option == arguments.end()) {
    const std::string argument = arguments.empty() ? "" : arguments.front();
    if (!path.empty() && !path.back()->commands.empty())
      return unknown_command(path.back()->commands, argument);
    return usage_error("U025", base::format("unexpected argument '{}'", brief(argument)),
                       base::format("usage: {}", usage_line(path)));
  }
  const std::string name = option->substr(0, option->find('='));
  std::vector<std::string> names = {"--help"};
  if (!path.empty())
    for (const DeclaredFlag& flag : path.back()->flags)
      for (const std::string& one : flag.names)
        if (one.starts_with("--")) names.push_back(one);
  return usage_error("U025", base::format("{} has no option '{}'", full_command(path), brief(name)),
                     suggestion(name, names) + help_hint(path));
}

Error missing_argument(const CommandPath& path, const std::string& key) {
  const DeclaredFlag* const flag = find_flag(path, key);
  if (flag == nullptr)  // the parser requires a subcommand
    return usage_error("U027", base::format("{} needs a command", full_command(path)), help_hint(path));
  return usage_error("U027",
                     flag->names.empty() ? base::format("missing argument {}", flag->type)
                                         : base::format("missing option {} {}", flag->key, flag->type),
                     base::format("usage: {}", usage_line(path)));
}

Error missing_value(const CommandPath& path, const std::string& key) {
  const DeclaredFlag* const flag = find_flag(path, key);
  const std::string expected =
      flag == nullptr || flag->type.empty() ? "a value" : base::format("a value, {}", flag->type);
  return usage_error("U027", base::format("{} needs {}", key, expected), help_hint(path));
}

Error given_twice(const CommandPath& path, const std::string& key) {
  return usage_error("U025", base::format("{} is given more than once", key), help_hint(path));
}

Error other_usage(const CommandPath& path, const std::string& text) {
  return usage_error("U025", brief(text), help_hint(path));
}

}  // namespace thence::cli
