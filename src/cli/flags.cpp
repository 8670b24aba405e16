#include "cli/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>

#include "base/format.h"
#include "base/memory_limit.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/usage.h"

namespace thence::cli {

namespace {

// A number of bytes, or of K, M, G or T, each 1024 of the one before.
std::optional<std::uint64_t> parse_size(std::string_view text) {
  constexpr std::string_view units = "kmgt";
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || number == 0 || end - stop > 1) return std::nullopt;
  if (stop == end) return number;
  const std::size_t unit = units.find(static_cast<char>(*stop | 0x20));
  if (unit == std::string_view::npos) return std::nullopt;
  const std::size_t shift = 10 * (unit + 1);
  return number > (~std::uint64_t{0} >> shift) ? std::nullopt : std::optional(number << shift);
}

}  // namespace

DeclaredFlag& Command::declare(const Flag& flag) {
  DeclaredFlag& one = declared_->flags.emplace_back();
  if (*flag.name == '-')
    for (const std::string_view name : base::split(flag.name, ',')) one.names.emplace_back(name);
  one.key = one.names.empty() ? flag.name : one.names.back();
  one.help = flag.help;
  one.type = flag.type;
  one.choices = flag.choices;
  one.modules = flag.modules;
  one.required = flag.required;
  one.section = one.names.empty() ? "Arguments" : section_;
  return one;
}

// Checks choices here and not in CLI11, whose message has no suggestion.
void Command::apply_checks(CLI::Option* option, const Flag& flag) {
  option->type_name(flag.type);
  if (flag.required) option->required();
  if (flag.choices.empty()) return;
  const std::string name = declared_->flags.back().key;
  option->check([name, choices = flag.choices](const std::string& value) {
    if (std::find(choices.begin(), choices.end(), value) == choices.end())
      throw UsageError{wrong_choice(name, value, choices)};
    return std::string();
  });
}

void Command::text(const Flag& flag, std::string& value) {
  DeclaredFlag& declared = declare(flag);
  if (flag.show_default) declared.default_value = value;
  apply_checks(app_->add_option(flag.name, value, flag.help), flag);
}

void Command::texts(const Flag& flag, std::vector<std::string>& values) {
  declare(flag).several = true;
  apply_checks(app_->add_option(flag.name, values, flag.help), flag);
}

void Command::comma_list(const Flag& flag, std::vector<std::string>& values) {
  declare(flag);
  apply_checks(app_->add_option(flag.name, values, flag.help)->delimiter(','), flag);
}

void Command::repeated(const Flag& flag, std::vector<std::string>& values) {
  declare(flag);
  apply_checks(app_->add_option(flag.name, values, flag.help)->allow_extra_args(false), flag);
}

void Command::repeated_list(const Flag& flag, std::vector<std::string>& values) {
  declare(flag);
  apply_checks(app_->add_option(flag.name, values, flag.help)->delimiter(',')->allow_extra_args(false), flag);
}

template <class Number, class Value>
void Command::add_number(const Flag& flag, Value& value, Number least, Number most, const char* what) {
  DeclaredFlag& declared = declare(flag);
  if constexpr (std::is_same_v<Number, Value>)
    if (flag.show_default) declared.default_value = base::format("{}", value);
  const auto read = [name = declared.key, &value, least, most, what](const std::string& text) {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end || !(number >= least && number <= most))
      throw UsageError{wrong_value(name, text, base::format("{} from {} to {}", what, least, most))};
    value = number;
  };
  apply_checks(app_->add_option_function<std::string>(flag.name, read, flag.help), flag);
}

void Command::number(const Flag& flag, std::size_t& value, std::size_t least, std::size_t most) {
  add_number(flag, value, least, most, "a whole number");
}

void Command::number(const Flag& flag, std::optional<std::size_t>& value, std::size_t least,
                     std::size_t most) {
  add_number(flag, value, least, most, "a whole number");
}

void Command::real(const Flag& flag, double& value, double least, double most) {
  add_number(flag, value, least, most, "a number");
}

void Command::flag(const Flag& flag, bool& value) {
  declare(flag).takes_value = false;
  app_->add_flag(flag.name, value, flag.help);
}

Command Command::add(const char* name, const CommandText& text) {
  CLI::App* const command = app_->add_subcommand(name, text.summary);
  app_->require_subcommand(1);
  declared_->commands.push_back({.name = name, .text = text, .purpose = {}, .flags = {}, .commands = {}});
  return {command, run_, &declared_->commands.back()};
}

// Takes effect at once, because commands read files before and after they look at their flags.
void Command::add_memory_flag() {
  if (std::any_of(declared_->flags.begin(), declared_->flags.end(),
                  [](const DeclaredFlag& flag) { return flag.section == "Output"; }))
    section("Output");
  const auto read = [](const std::string& text) {
    const std::optional<std::uint64_t> bytes = parse_size(text);
    if (!bytes)
      throw UsageError{
          wrong_value("--max-memory", text, "a number of bytes, or of units such as 512M or 2G")};
    if (!base::limit_memory(*bytes))
      throw UsageError{
          {ErrorKind::input_output, "F005", "the system does not limit memory", "leave --max-memory out"}};
  };
  const Flag flag{.name = "--max-memory",
                  .help = "Most memory to use, such as 512M or 2G; mapped model files do not count",
                  .type = "SIZE"};
  declare(flag);
  apply_checks(app_->add_option_function<std::string>(flag.name, read, flag.help), flag);
}

void Command::set_action(std::function<int()> run) {
  add_memory_flag();
  app_->callback([target = run_, run = std::move(run)] { *target = run; });
}

Program::Program(const char* name, const char* version)
    : app_(std::make_unique<CLI::App>("", name)), version_(version) {
  app_->set_version_flag("-V,--version", version_);
}

Program::~Program() = default;

Command Program::add(const char* name, Purpose purpose, const CommandText& text) {
  const Command command = Command(app_.get(), &run_, &declared_).add(name, text);
  declared_.commands.back().purpose = purpose;
  return command;
}

// The commands on the command line, outermost first.
Program::Path Program::parsed_path() const {
  Path path;
  const std::list<DeclaredCommand>* known_commands = &declared_.commands;
  for (const CLI::App* app = app_.get(); !app->get_subcommands().empty();) {
    app = app->get_subcommands().front();
    for (const DeclaredCommand& command : *known_commands)
      if (command.name == app->get_name()) path.push_back(&command);
    known_commands = &path.back()->commands;
  }
  return path;
}

// CLI11 has no exception class for some errors; these are recognised by their messages.
int Program::report(const CLI::ParseError& error) const {
  const Path path = parsed_path();
  const std::vector<std::string> unused = app_->remaining(true);
  const std::string text = error.what();
  const std::string name = text.substr(0, text.find_first_of(": "));
  if (!unused.empty())
    print_error(unexpected(path, unused));
  else if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    print_error(missing_argument(path, name));
  else if (text.find(" missing") != std::string::npos)
    print_error(missing_value(path, name));
  else if (text.find("At Most 1") != std::string::npos)
    print_error(given_twice(path, name));
  else
    print_error(other_usage(path, text));
  return wrong_usage;
}

int Program::run(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const Path path = parsed_path();
    std::fputs((path.empty() ? program_help(declared_.commands) : command_help(path)).c_str(), stdout);
    return done;
  } catch (const CLI::CallForVersion&) {
    std::fputs((version_ + "\n").c_str(), stdout);
    return done;
  } catch (const CLI::ParseError& error) {
    return report(error);
  } catch (const UsageError& wrong) {
    print_error(wrong.error);
    return wrong_usage;
  }
  return run_();
}

}  // namespace thence::cli
