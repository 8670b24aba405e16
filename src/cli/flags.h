// Commands and their flags, declared as data. What parses them and prints help is CLI11, which takes long to
// compile: flags.cpp alone sees it.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace thence::cli {

struct Flag {
  const char* name;  // "-f,--format"; without dashes it stands by its place
  std::string help;
  const char* type = "";  // what its value is called in the help: FILE
  bool required = false;
  std::vector<std::string> choices = {};  // any, when empty
  bool show_default = false;
  bool modules = false;  // its values are paths of modules, for shells to complete
};

/// What was declared, for those who list it.
struct DeclaredFlag {
  std::vector<std::string> names;  // "--format"; none: it stands by its place
  std::string help, type;
  std::vector<std::string> choices;
  bool takes_value = true, modules = false;
};
struct DeclaredCommand {
  std::string name, about;
  std::vector<DeclaredFlag> flags;
  std::list<DeclaredCommand> commands;  // its own; a list, so that they stay where they are
};

class Command {
 public:
  Command(CLI::App* app, std::function<int()>* run, DeclaredCommand* declared)
      : app_(app), run_(run), declared_(declared) {}

  void text(const Flag& flag, std::string& value);
  void texts(const Flag& flag, std::vector<std::string>& values);          // given one after the other
  void comma_list(const Flag& flag, std::vector<std::string>& values);     // a,b,c
  void repeated(const Flag& flag, std::vector<std::string>& values);       // one value each time it is given
  void repeated_list(const Flag& flag, std::vector<std::string>& values);  // the same, a,b,c
  void number(const Flag& flag, std::size_t& value, std::size_t least, std::size_t most);
  void real(const Flag& flag, double& value, double least, double most);
  void yes(const Flag& flag, bool& value);  // true when it is given

  /// A command of this one's own, as in `thence rules check`.
  Command add(const char* name, const char* about, const char* examples);

  /// What the command does.
  void does(std::function<int()> run);

 private:
  void declare(const Flag& flag, bool takes_value);

  CLI::App* app_;
  std::function<int()>* run_;
  DeclaredCommand* declared_;
};

class Program {
 public:
  Program(const char* name, const char* about, const char* version, const char* footer);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Command add(const char* name, const char* about, const char* examples);
  std::vector<std::string> commands() const;
  const std::list<DeclaredCommand>& declared() const { return declared_.commands; }
  /// Parses, and does what was asked for. Help and version go to standard output; -1: wrong usage, already
  /// told.
  int run(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  DeclaredCommand declared_;
  std::function<int()> run_;
};

}  // namespace thence::cli
