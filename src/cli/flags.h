// Commands and their flags, declared as data. CLI11 parses the command line. It takes long to compile, so
// only flags.cpp includes it.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
class ParseError;
}  // namespace CLI

namespace thence::cli {

struct Flag {
  const char* name;  // "-f,--format"; without dashes: a positional argument
  std::string help;
  const char* type = "";  // placeholder of the value in the help: FILE
  bool required = false;
  std::vector<std::string> choices = {};  // empty: any value
  bool show_default = false;
  bool modules = false;  // values are module paths, which shells complete
};

/// Heading in the list of commands.
enum class Purpose { exporting, asking, comparing, editing, checking, shell };

/// Help of a command.
struct CommandText {
  const char* summary;       // one sentence without a full stop, also shown in the list of commands
  const char* details = "";  // paragraphs between usage and options
  const char* examples = "";
  const char* exit_codes = "";
};

/// A declared flag, for help, completion and messages.
struct DeclaredFlag {
  std::vector<std::string> names;  // "-f", "--format"; empty: a positional argument
  std::string help, type;
  std::vector<std::string> choices;
  bool takes_value = true, modules = false, required = false, several = false;
  std::string default_value;  // empty: not shown
  std::string section;        // heading in the help
  std::string key;            // its name in the parser
};
struct DeclaredCommand {
  std::string name;
  CommandText text{};
  Purpose purpose = Purpose::asking;
  std::vector<DeclaredFlag> flags;
  std::list<DeclaredCommand> commands;  // subcommands; a list, because Command keeps pointers to them
};

class Command {
 public:
  Command(CLI::App* app, std::function<int()>* run, DeclaredCommand* declared)
      : app_(app), run_(run), declared_(declared) {}

  /// Heading in the help for the flags that follow.
  void section(const char* heading) { section_ = heading; }

  void text(const Flag& flag, std::string& value);
  void texts(const Flag& flag, std::vector<std::string>& values);          // one or more consecutive values
  void comma_list(const Flag& flag, std::vector<std::string>& values);     // a,b,c
  void repeated(const Flag& flag, std::vector<std::string>& values);       // one value per occurrence
  void repeated_list(const Flag& flag, std::vector<std::string>& values);  // a,b,c per occurrence
  void number(const Flag& flag, std::size_t& value, std::size_t least, std::size_t most);
  void number(const Flag& flag, std::optional<std::size_t>& value, std::size_t least, std::size_t most);
  void real(const Flag& flag, double& value, double least, double most);
  void flag(const Flag& flag, bool& value);  // true if given

  /// Adds a subcommand, as in `thence rules check`.
  Command add(const char* name, const CommandText& text);

  /// Sets what the command runs. Call it last: it also adds the flags that all commands have.
  void set_action(std::function<int()> run);

 private:
  void add_memory_flag();
  DeclaredFlag& declare(const Flag& flag);
  void apply_checks(CLI::Option* option, const Flag& flag);
  template <class Number, class Value>
  void add_number(const Flag& flag, Value& value, Number least, Number most, const char* what);

  CLI::App* app_;
  std::function<int()>* run_;
  DeclaredCommand* declared_;
  const char* section_ = "Options";
};

class Program {
 public:
  Program(const char* name, const char* version);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Command add(const char* name, Purpose purpose, const CommandText& text);
  const std::list<DeclaredCommand>& declared() const { return declared_.commands; }
  /// Parses the arguments and runs the command. Help and version go to standard output; wrong usage is
  /// reported on standard error.
  int run(int argc, char** argv);

 private:
  using Path = std::vector<const DeclaredCommand*>;
  Path parsed_path() const;
  int report(const CLI::ParseError& error) const;

  std::unique_ptr<CLI::App> app_;
  DeclaredCommand declared_;
  std::string version_;
  std::function<int()> run_;
};

}  // namespace thence::cli
