// thence rules: checks a rules file, and explains what it makes of a module.

#include <algorithm>
#include <memory>

#include "base/format.h"
#include "base/text.h"
#include "cli/command.h"
#include "output/rows.h"
#include "rules/explain.h"
#include "rules/read.h"

namespace thence::cli {
namespace {

constexpr const char* text =
    R"(Rules say which modules are told, how they are named, and which part they play: a TOML file, thence.toml in the
working folder or in one around it, or what --rules names. docs/rules.md describes it.)";

constexpr const char* check_text =
    R"(Checks a rules file, and lists what it holds. With a model, also how many modules each rule fits; rules that fit none are
found and named.)";

constexpr const char* check_examples = R"(Examples:
  thence rules check
      the nearest thence.toml
  thence rules check thence.toml --model model.onnx --capture model.capture.json
      and which rules fit nothing in this model

Exit codes: 0 done, 1 a rule fits no module of the model, 2 wrong usage, 3 the file is wrong, 4 input/output failure.)";

constexpr const char* explain_text =
    R"(Explains what rules make of a module: those that are about it, in the order in which they are applied, what each does,
and what it is told as.)";

constexpr const char* explain_examples = R"(Examples:
  thence rules explain model.onnx encoder.layer.0.attention --rules thence.toml
  thence rules explain model.onnx encoder.layer.0 --rules thence.toml --format json

Exit codes: 0 done, 1 no such module, 2 wrong usage, 3 a file is wrong, 4 input/output failure.)";

struct CheckFlags : ModelFlags {
  std::string format = "table";
};

int fail(const Error& error) {
  print_error(error);
  return static_cast<int>(error.kind);
}

Error no_rules() {
  return {ErrorKind::usage, "U018", "there is no thence.toml in this folder or around it",
          "name the file, or write one: docs/rules.md describes it"};
}

std::string place(const rules::Rule& rule) {
  return base::format("{}:{}", rule.place.line, rule.place.column);
}

output::Rows rows_of(const rules::Rules& read, const std::string& file) {
  output::Rows rows{.schema = "thence.rules-check/1", .list = "rules", .columns = {"place", "rule", "about"}};
  rows.head = {{"file", file},
               {"granularity", std::string(read.base_given ? rules::name_of(read.base) : "")},
               {"torch_nn_exceptions", read.torch_nn_exceptions
                                           ? base::format("{}", base::joined(*read.torch_nn_exceptions, ","))
                                           : std::string()}};
  for (const rules::Rule& rule : read.rules)
    rows.cells.push_back({place(rule), std::string(rules::name_of(rule.kind)), rule.about()});
  return rows;
}

void print_outcome(const CheckFlags& flags, std::size_t rules, std::size_t unused) {
  std::fputs(base::format("{}: {} rule{}, no error\n", base::printable(flags.options.rules), rules,
                          rules == 1 ? "" : "s")
                 .c_str(),
             stderr);
  if (unused > 0)
    std::fputs(base::format("{} of them {} no module of {}\n", unused, unused == 1 ? "fits" : "fit",
                            brief(flags.model))
                   .c_str(),
               stderr);
}

int run_check(CheckFlags& flags) {
  std::string& file = flags.options.rules;
  if (file.empty()) file = rules::find_rules();
  if (file.empty()) return fail(no_rules());
  const Result<rules::Rules> read = rules::open_rules(file);
  if (!read) return fail(read.error());
  output::Rows rows = rows_of(*read, file);
  std::size_t unused = 0;
  if (!flags.model.empty()) {
    const Opened opened = open_map(flags);
    if (opened.map == nullptr) return opened.exit_code;
    rows.columns.push_back("modules");
    const std::vector<std::size_t> counts =
        rules::count_matches(opened.map->own_tree(), *read, opened.map->module_view()->view);
    for (std::size_t i = 0; i < counts.size(); ++i) rows.cells[i].emplace_back(std::uint64_t{counts[i]});
    unused = static_cast<std::size_t>(std::count(counts.begin(), counts.end(), std::size_t{0}));
  }
  const int code = deliver(flags, [&](base::Writer& out) { output::write_rows(rows, flags.format, out); });
  if (code != done) return code;
  if (!flags.quiet) print_outcome(flags, read->rules.size(), unused);
  return unused > 0 ? nothing_found : done;
}

struct ExplainFlags : ModelFlags {
  std::string format = "table", path;
};

std::string told_path(const modules::ModuleTree& tree, modules::ModuleId module) {
  return module == modules::root ? "(root)" : std::string(tree[module].path);
}

output::Rows explained(const semantics::Map& map, modules::ModuleId module) {
  const semantics::ModuleView& told = *map.module_view();
  const modules::ModuleTree& tree = map.own_tree();
  const modules::ModuleId shown = map.shown_as(module);
  const semantics::Role role = map.role(shown);
  output::Rows rows{.schema = "thence.rules-explanation/1",
                    .list = "steps",
                    .columns = {"place", "rule", "about", "module", "effect"}};
  const auto granularity = rules::name_of(told.granularity);
  rows.head = {{"module", told_path(tree, module)},
               {"class", std::string(tree[module].class_name)},
               {"rules", told.rules->file},
               {"granularity", std::string(granularity.empty() ? "all modules" : granularity)},
               {"told_as", told_path(map.tree(), shown)},
               {"semantic_type", std::string(role.type)},
               {"component", std::string(role.component)}};
  for (const rules::Step& step : rules::steps_for(tree, *told.rules, told.granularity, told.view, module))
    rows.cells.push_back({place(*step.rule), std::string(rules::name_of(step.rule->kind)), step.rule->about(),
                          step.on.empty() ? "(root)" : step.on, step.effect});
  return rows;
}

int run_explain(ExplainFlags& flags) {
  const Opened opened = open_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  const semantics::Map& map = *opened.map;
  if (map.module_view() == nullptr) return fail(no_rules());
  const modules::ModuleId module = map.own_tree().find(flags.path == "(root)" ? "" : flags.path);
  if (module == modules::no_module) {
    print_error({ErrorKind::usage, "E003", base::format("no module has the path '{}'", brief(flags.path)),
                 "'thence show --no-rules' lists the modules"});
    return nothing_found;
  }
  const output::Rows rows = explained(map, module);
  return deliver(flags, [&](base::Writer& out) {
    if (flags.format == "table")
      for (const auto& [name, value] : rows.head)
        if (const std::string& said = std::get<std::string>(value); !said.empty())
          out.add(base::format("{:<13}  {}\n", name, base::printable(said)));
    output::write_rows(rows, flags.format, out);
  });
}

void add_check_rules(Command& rules) {
  auto flags = std::make_shared<CheckFlags>();
  Command command = rules.add("check", check_text, check_examples);
  command.text(
      {.name = "file", .help = "The rules file; without one, the nearest thence.toml", .type = "FILE"},
      flags->options.rules);
  command.text({.name = "-m,--model", .help = "A model to hold the rules against", .type = "MODEL"},
               flags->model);
  add_capture_flag(command, *flags);
  add_format_flag(command, flags->format);
  command.yes({.name = "-q,--quiet", .help = "Print no words"}, flags->quiet);
  command.does([flags] { return run_check(*flags); });
}

void add_explain_rules(Command& rules) {
  auto flags = std::make_shared<ExplainFlags>();
  Command command = rules.add("explain", explain_text, explain_examples);
  add_model_flags(command, *flags);
  command.text({.name = "path",
                .help = "The module's path; (root) is the root",
                .type = "PATH",
                .required = true,
                .modules = true},
               flags->path);
  add_rules_flags(command, *flags);
  add_format_flag(command, flags->format);
  command.does([flags] { return run_explain(*flags); });
}

}  // namespace

void add_rules(Program& program) {
  Command rules = program.add("rules", text, "");
  add_check_rules(rules);
  add_explain_rules(rules);
}

}  // namespace thence::cli
