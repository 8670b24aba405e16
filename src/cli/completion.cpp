#include "cli/completion.h"

#include <algorithm>

namespace thence::cli {
namespace {

using Words = std::vector<std::string>;

std::string with_meaning(const std::string& candidate, const std::string& meaning) {
  return meaning.empty() ? candidate : candidate + "\t" + meaning.substr(0, meaning.find('\n'));
}

const DeclaredFlag* find_flag(const DeclaredCommand& command, const std::string& name) {
  for (const DeclaredFlag& flag : command.flags)
    if (std::find(flag.names.begin(), flag.names.end(), name) != flag.names.end()) return &flag;
  return nullptr;
}

// Removes quotes and backslashes from a word. Shells pass it as typed, possibly with an open quote.
std::string unquoted(std::string_view typed) {
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
Words parted(const Words& words) {
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
struct Line {
  const DeclaredFlag* waiting = nullptr;  // the flag whose value comes next
  std::size_t places = 0;                 // number of positional arguments
  std::string model, capture;

  Line(const DeclaredCommand& command, const Words& words) {
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
      if (waiting != nullptr) {
        if (find_flag(command, "--capture") == waiting) capture = words[i];
        waiting = nullptr;
      } else if (const DeclaredFlag* flag = find_flag(command, words[i])) {
        waiting = flag->takes_value ? flag : nullptr;
      } else if (!words[i].starts_with('-') && places++ == 0) {
        model = words[i];
      }
    }
  }
};

Words values(const DeclaredFlag& flag, const Line& line, const std::string& begun) {
  Words found;
  for (const std::string& choice : flag.choices)
    if (choice.starts_with(begun)) found.push_back(choice);
  if (flag.modules) {
    found = complete_module(line.model, line.capture, begun);
    found.insert(found.begin(), ":nospace");
  } else if (flag.type == "FILE" || flag.type == "MODEL") {
    found = {":files"};
  }
  return found;
}

Words flags(const DeclaredCommand& command, const std::string& begun) {
  Words found;
  for (const DeclaredFlag& flag : command.flags)
    for (const std::string& name : flag.names)
      if (name.starts_with(begun)) found.push_back(with_meaning(name, flag.help));
  if (std::string("--help").starts_with(begun)) found.push_back("--help\tPrint this help");
  return found;
}

Words names(const std::list<DeclaredCommand>& commands, const std::string& begun) {
  Words found;
  for (const DeclaredCommand& command : commands)
    if (command.name.starts_with(begun)) found.push_back(with_meaning(command.name, command.text.summary));
  return found;
}

// The first of the words is the command. `typed` is the last one as the shell passed it.
Words arguments(const DeclaredCommand& command, const Words& words, const std::string& typed) {
  const std::string& begun = words.back();
  const Line line(command, words);
  if (line.waiting != nullptr) {
    Words found = values(*line.waiting, line, begun);
    // A shell that does not split the word expects the whole word back.
    if (typed.starts_with("--") && typed.size() > begun.size())
      for (std::string& one : found)
        if (!one.starts_with(':')) one.insert(0, typed.substr(0, typed.size() - begun.size()));
    return found;
  }
  if (begun.starts_with('-')) return flags(command, begun);
  std::size_t place = 0;
  for (const DeclaredFlag& flag : command.flags)
    if (flag.names.empty() && place++ == line.places) return values(flag, line, begun);
  return {};
}

}  // namespace

Words complete(const std::list<DeclaredCommand>& commands, Words given) {
  if (given.empty()) given.emplace_back();
  for (std::string& word : given) word = unquoted(word);
  Words words = parted(given);
  if (words.size() == 1) {
    const std::string& begun = words.back();
    Words found = names(commands, begun);
    for (const char* flag : {"--help", "--version"})
      if (begun.starts_with('-') && std::string(flag).starts_with(begun)) found.emplace_back(flag);
    return found;
  }
  for (const std::list<DeclaredCommand>* among = &commands;;) {
    const auto command = std::find_if(among->begin(), among->end(),
                                      [&](const DeclaredCommand& one) { return one.name == words.front(); });
    if (command == among->end()) return {};
    if (command->commands.empty()) return arguments(*command, words, given.back());
    words.erase(words.begin());
    if (words.size() == 1)
      return words.back().starts_with('-') ? flags(*command, words.back())
                                           : names(command->commands, words.back());
    among = &command->commands;
  }
}

}  // namespace thence::cli
