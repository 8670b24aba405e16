#include "cli/completion.h"

#include <algorithm>

namespace thence::cli {
namespace {

using Words = std::vector<std::string>;

std::string with_description(const std::string& candidate, const std::string& description) {
  return description.empty() ? candidate : candidate + "\t" + description.substr(0, description.find('\n'));
}

const DeclaredFlag* find_flag(const DeclaredCommand& command, const std::string& name) {
  for (const DeclaredFlag& flag : command.flags)
    if (std::find(flag.names.begin(), flag.names.end(), name) != flag.names.end()) return &flag;
  return nullptr;
}

// Removes quotes and backslashes from a word. Shells pass it as typed, possibly with an open quote.
std::string unquote(std::string_view typed) {
  std::string word;
  char quote = 0;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const char letter = typed[i];
    if (letter == '\\' && quote != '\'' && i + 1 < typed.size())
      word += typed[++i];
    else if (quote == 0 && (letter == '\'' || letter == '"'))
      quote = letter;
    else if (quote != 0 && letter == quote)
      quote = 0;
    else
      word += letter;
  }
  return word;
}

// Bash splits a word at "=", other shells do not. Here "--flag=value" always becomes two words.
Words split_assignments(const Words& words) {
  Words all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (words[i] == "=" && i > 0) {
      if (i + 1 == words.size()) all.emplace_back();
    } else if (words[i].starts_with("--") && equals != std::string::npos) {
      all.push_back(words[i].substr(0, equals));
      all.push_back(words[i].substr(equals + 1));
    } else {
      all.push_back(words[i]);
    }
  }
  return all;
}

// The state of the command line before the word to complete.
struct CommandLine {
  const DeclaredFlag* pending_flag = nullptr;  // the flag whose value comes next
  std::size_t positional_count = 0;            // number of positional arguments
  std::string model, capture;

  CommandLine(const DeclaredCommand& command, const Words& words) {
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
      if (pending_flag != nullptr) {
        if (find_flag(command, "--capture") == pending_flag) capture = words[i];
        pending_flag = nullptr;
      } else if (const DeclaredFlag* flag = find_flag(command, words[i])) {
        pending_flag = flag->takes_value ? flag : nullptr;
      } else if (!words[i].starts_with('-') && positional_count++ == 0) {
        model = words[i];
      }
    }
  }
};

Words value_candidates(const DeclaredFlag& flag, const CommandLine& line, const std::string& prefix) {
  Words found;
  for (const std::string& choice : flag.choices)
    if (choice.starts_with(prefix)) found.push_back(choice);
  if (flag.modules) {
    found = complete_module(line.model, line.capture, prefix);
    found.insert(found.begin(), ":nospace");
  } else if (flag.type == "FILE" || flag.type == "FOLDER" || flag.type == "MODEL") {
    found = {":files"};
  }
  return found;
}

Words flag_candidates(const DeclaredCommand& command, const std::string& prefix) {
  Words found;
  for (const DeclaredFlag& flag : command.flags)
    for (const std::string& name : flag.names)
      if (name.starts_with(prefix)) found.push_back(with_description(name, flag.help));
  if (std::string("--help").starts_with(prefix)) found.push_back("--help\tPrint this help");
  return found;
}

Words command_candidates(const std::list<DeclaredCommand>& commands, const std::string& prefix) {
  Words found;
  for (const DeclaredCommand& command : commands)
    if (command.name.starts_with(prefix))
      found.push_back(with_description(command.name, command.text.summary));
  return found;
}

// The first of the words is the command. `typed` is the last one as the shell passed it.
Words argument_candidates(const DeclaredCommand& command, const Words& words, const std::string& typed) {
  const std::string& prefix = words.back();
  const CommandLine line(command, words);
  if (line.pending_flag != nullptr) {
    Words found = value_candidates(*line.pending_flag, line, prefix);
    // A shell that does not split the word expects the whole word back.
    if (typed.starts_with("--") && typed.size() > prefix.size())
      for (std::string& one : found)
        if (!one.starts_with(':')) one.insert(0, typed.substr(0, typed.size() - prefix.size()));
    return found;
  }
  if (prefix.starts_with('-')) return flag_candidates(command, prefix);
  std::size_t place = 0;
  for (const DeclaredFlag& flag : command.flags)
    if (flag.names.empty() && place++ == line.positional_count) return value_candidates(flag, line, prefix);
  return {};
}

}  // namespace

Words complete(const std::list<DeclaredCommand>& commands, Words given) {
  if (given.empty()) given.emplace_back();
  for (std::string& word : given) word = unquote(word);
  Words words = split_assignments(given);
  if (words.size() == 1) {
    const std::string& prefix = words.back();
    Words found = command_candidates(commands, prefix);
    for (const char* flag : {"--help", "--version"})
      if (prefix.starts_with('-') && std::string(flag).starts_with(prefix)) found.emplace_back(flag);
    return found;
  }
  for (const std::list<DeclaredCommand>* known_commands = &commands;;) {
    const auto command = std::find_if(known_commands->begin(), known_commands->end(),
                                      [&](const DeclaredCommand& one) { return one.name == words.front(); });
    if (command == known_commands->end()) return {};
    if (command->commands.empty()) return argument_candidates(*command, words, given.back());
    words.erase(words.begin());
    if (words.size() == 1)
      return words.back().starts_with('-') ? flag_candidates(*command, words.back())
                                           : command_candidates(command->commands, words.back());
    known_commands = &command->commands;
  }
}

}  // namespace thence::cli
