// thence rules: checks a rules file, and explains its effect on a module.

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

constexpr CommandText text = {
    .summary = "Check and explain a rules file",
    .details =
        R"(A rules file decides which modules are shown, how they are named, and which role they have. It is a TOML file: thence.toml
in the working folder or a folder above it, or the one that --rules names. docs/rules.md describes it.)",
};

constexpr CommandText check_text = {
    .summary = "Check a rules file and list its rules",
    .details =
        "With a model, also prints how many modules each rule matches, and reports rules that match none.",
    .examples = R"(  thence rules check
      check the nearest thence.toml
  thence rules check thence.toml --model model.onnx --capture model.capture.json
      also report rules that match nothing in this model)",
    .exit_codes =
        "0 success, 1 a rule matches no module of the model, 2 wrong usage, 3 the rules file is invalid, 4 "
        "input/output failure",
};

constexpr CommandText explain_text = {
    .summary = "Print which rules apply to a module, and the result",
    .details =
        "Lists the rules that match the module in the order in which they apply, what each does, and the "
        "resulting name and role.",
    .examples = R"(  thence rules explain model.onnx encoder.layer.0.attention --rules thence.toml
  thence rules explain model.onnx encoder.layer.0 --rules thence.toml --format json)",
    .exit_codes = "0 success, 1 no such module, 2 wrong usage, 3 a file is invalid, 4 input/output failure",
};

struct CheckFlags : ModelFlags {
  std::string format = "table";
};

Error no_rules() {
  return {ErrorKind::usage, "U018", "no thence.toml in this folder or above it",
          "give a file, or write one as docs/rules.md describes"};
}

std::string position_text(const rules::Rule& rule) {
  return base::format("{}:{}", rule.position.line, rule.position.column);
}

output::Rows rows_of(const rules::Rules& read, const std::string& file) {
  output::Rows rows{.schema = "thence.rules-check/1", .list = "rules", .columns = {"place", "rule", "about"}};
  rows.head = {{"file", file},
               {"granularity", std::string(read.base_given ? rules::name_of(read.base) : "")},
               {"torch_nn_exceptions", read.torch_nn_exceptions
                                           ? base::format("{}", base::joined(*read.torch_nn_exceptions, ","))
                                           : std::string()}};
  for (const rules::Rule& rule : read.rules)
    rows.cells.push_back({position_text(rule), std::string(rules::name_of(rule.kind)), rule.about()});
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
    const OpenedMap opened = open_map(flags);
    if (opened.map == nullptr) return opened.exit_code;
    rows.columns.push_back("modules");
    const std::vector<std::size_t> counts =
        rules::count_matches(opened.map->own_tree(), *read, opened.map->module_view()->view);
    for (std::size_t i = 0; i < counts.size(); ++i) rows.cells[i].emplace_back(std::uint64_t{counts[i]});
    unused = static_cast<std::size_t>(std::count(counts.begin(), counts.end(), std::size_t{0}));
  }
  const int code = write_output(
      flags, [&](base::Writer& out) { output::write_rows(rows, flags.format, table_width(flags), out); });
  if (code != done) return code;
  if (!flags.quiet) print_outcome(flags, read->rules.size(), unused);
  return unused > 0 ? nothing_found : done;
}

struct ExplainFlags : ModelFlags {
  std::string format = "table", path;
};

std::string reported_path(const modules::ModuleTree& tree, modules::ModuleId module) {
  return module == modules::root ? "(root)" : std::string(tree[module].path);
}

output::Rows explained(const semantics::Map& map, modules::ModuleId module) {
  const semantics::ModuleView& view = *map.module_view();
  const modules::ModuleTree& tree = map.own_tree();
  const modules::ModuleId shown = map.shown_as(module);
  const semantics::Role role = map.role(shown);
  output::Rows rows{.schema = "thence.rules-explanation/1",
                    .list = "steps",
                    .columns = {"place", "rule", "about", "module", "effect"}};
  const auto granularity = rules::name_of(view.granularity);
  rows.head = {{"module", reported_path(tree, module)},
               {"class", std::string(tree[module].class_name)},
               {"rules", view.rules->file},
               {"granularity", std::string(granularity.empty() ? "all modules" : granularity)},
               {"told_as", reported_path(map.tree(), shown)},
               {"semantic_type", std::string(role.type)},
               {"component", std::string(role.component)}};
  for (const rules::AppliedRule& step :
       rules::applied_rules(tree, *view.rules, view.granularity, view.view, module))
    rows.cells.push_back({position_text(*step.rule), std::string(rules::name_of(step.rule->kind)),
                          step.rule->about(), step.matched_path.empty() ? "(root)" : step.matched_path,
                          step.effect});
  return rows;
}

int run_explain(ExplainFlags& flags) {
  const OpenedMap opened = open_map(flags);
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
  return write_output(flags, [&](base::Writer& out) {
    if (flags.format == "table")
      for (const auto& [name, value] : rows.head)
        if (const std::string& shown = std::get<std::string>(value); !shown.empty())
          out.add(base::format("{:<13}  {}\n", name, base::printable(shown)));
    output::write_rows(rows, flags.format, table_width(flags), out);
  });
}

void add_check_rules(Command& rules) {
  auto flags = std::make_shared<CheckFlags>();
  Command command = rules.add("check", check_text);
  command.text({.name = "file", .help = "Rules file (default: the nearest thence.toml)", .type = "FILE"},
               flags->options.rules);
  command.text({.name = "-m,--model", .help = "Model to match the rules with", .type = "MODEL"},
               flags->model);
  add_capture_flag(command, *flags);
  add_format_flag(command, *flags, flags->format);
  command.flag({.name = "-q,--quiet", .help = "Print no messages"}, flags->quiet);
  command.set_action([flags] { return run_check(*flags); });
}

void add_explain_rules(Command& rules) {
  auto flags = std::make_shared<ExplainFlags>();
  Command command = rules.add("explain", explain_text);
  add_model_flags(command, *flags);
  command.text({.name = "path",
                .help = "Path of the module; (root) is the root",
                .type = "PATH",
                .required = true,
                .modules = true},
               flags->path);
  add_rules_flags(command, *flags);
  add_format_flag(command, *flags, flags->format);
  command.set_action([flags] { return run_explain(*flags); });
}

}  // namespace

void add_rules(Program& program) {
  Command rules = program.add("rules", Purpose::checking, text);
  add_check_rules(rules);
  add_explain_rules(rules);
}

}  // namespace thence::cli
