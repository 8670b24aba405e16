#include "cli/flags.h"

#include <CLI/CLI.hpp>

#include "base/text.h"

namespace thence::cli {
namespace {

void describe(CLI::Option* option, const Flag& flag) {
  option->type_name(flag.type);
  if (flag.required) option->required();
  if (!flag.choices.empty()) option->check(CLI::IsMember(flag.choices));
  if (flag.show_default) option->capture_default_str();
}

}  // namespace

void Command::declare(const Flag& flag, bool takes_value) {
  DeclaredFlag& one = declared_->flags.emplace_back();
  if (*flag.name == '-')
    for (const std::string_view name : base::split(flag.name, ',')) one.names.emplace_back(name);
  one.help = flag.help;
  one.type = flag.type;
  one.choices = flag.choices;
  one.takes_value = takes_value;
  one.modules = flag.modules;
}

void Command::text(const Flag& flag, std::string& value) {
  declare(flag, true);
  describe(app_->add_option(flag.name, value, flag.help), flag);
}

void Command::texts(const Flag& flag, std::vector<std::string>& values) {
  declare(flag, true);
  describe(app_->add_option(flag.name, values, flag.help), flag);
}

void Command::comma_list(const Flag& flag, std::vector<std::string>& values) {
  declare(flag, true);
  describe(app_->add_option(flag.name, values, flag.help)->delimiter(','), flag);
}

void Command::repeated(const Flag& flag, std::vector<std::string>& values) {
  declare(flag, true);
  describe(app_->add_option(flag.name, values, flag.help)->allow_extra_args(false), flag);
}

void Command::repeated_list(const Flag& flag, std::vector<std::string>& values) {
  declare(flag, true);
  describe(app_->add_option(flag.name, values, flag.help)->delimiter(',')->allow_extra_args(false), flag);
}

void Command::number(const Flag& flag, std::size_t& value, std::size_t least, std::size_t most) {
  declare(flag, true);
  describe(app_->add_option(flag.name, value, flag.help)->check(CLI::Range(least, most)), flag);
}

void Command::real(const Flag& flag, double& value, double least, double most) {
  declare(flag, true);
  describe(app_->add_option(flag.name, value, flag.help)->check(CLI::Range(least, most)), flag);
}

void Command::yes(const Flag& flag, bool& value) {
  declare(flag, false);
  app_->add_flag(flag.name, value, flag.help);
}

Command Command::add(const char* name, const char* about, const char* examples) {
  CLI::App* const command = app_->add_subcommand(name, about);
  command->footer(examples);
  app_->require_subcommand(1);
  declared_->commands.push_back({name, about, {}, {}});
  return {command, run_, &declared_->commands.back()};
}

void Command::does(std::function<int()> run) {
  app_->callback([target = run_, run = std::move(run)] { *target = run; });
}

Program::Program(const char* name, const char* about, const char* version, const char* footer)
    : app_(std::make_unique<CLI::App>(about, name)) {
  app_->set_version_flag("-V,--version", version);
  app_->footer(footer);
}

Program::~Program() = default;

Command Program::add(const char* name, const char* about, const char* examples) {
  return Command(app_.get(), &run_, &declared_).add(name, about, examples);
}

std::vector<std::string> Program::commands() const {
  std::vector<std::string> names;
  for (const CLI::App* command : app_->get_subcommands({})) names.push_back(command->get_name());
  return names;
}

int Program::run(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? 0 : -1;
  }
  return run_();
}

}  // namespace thence::cli
