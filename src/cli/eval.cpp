// thence eval: compares a map with the truth.

#include <algorithm>
#include <charconv>
#include <memory>

#include "api/check_rows.h"
#include "base/format.h"
#include "base/text.h"
#include "cli/command.h"
#include "output/formats.h"
#include "pipeline/pipeline.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Score a map against ground truth",
    .details =
        R"(Reports how many answers are exact, name an enclosing module, are in another layer or branch, or are missing, and
whether the confidence is calibrated.

--ancestor scores the answers of 'thence transfer' from that model.

A model with tags is refused, because the tags would be scored as answers; --ignore-tags reads it as if it had none.

Figures for --require, at least: exact, precision, hf_module, made, ranking, complete_members; at most: ancestor, cross_layer,
wrong_branch, wrong, confidently_wrong, unknown, calibration_error, wrong_call, unknown_call.)",
    .examples = R"(  thence eval model.onnx --truth model.truth.json
  thence eval model.onnx --truth model.truth.json --capture model.capture.json --strategy htp
  thence eval model.onnx --truth model.truth.json --require exact=0.99,cross_layer=0
      exit with 1 if less than 99% are exact or any answer is in another layer
  thence eval model.onnx --truth model.truth.json --format json
  thence eval optimised.onnx --truth optimised.truth.json --ancestor model.onnx
      score a transfer)",
    .exit_codes =
        "0 success, 1 a figure misses --require, 2 wrong usage, 3 a file cannot be read, 4 input/output "
        "failure",
};

struct EvalFlags : ModelFlags {
  std::string format = "table";
  std::string truth, ancestor;
  std::vector<std::string> require;
};

struct Requirement {
  std::string name;
  double value = 0;
};

Error requirement_error(const std::string& given, const std::string& what) {
  return {ErrorKind::usage, "U010", base::format("--require {}: {}", base::printable(given), what),
          "write NAME=NUMBER, such as exact=0.99"};
}

Result<Requirement> parse_requirement(const std::string& given) {
  const std::size_t sign = given.find('=');
  if (sign == std::string::npos) return requirement_error(given, "has no number");
  Requirement requirement{given.substr(0, sign)};
  const char* const end = given.data() + given.size();
  const auto parsed = std::from_chars(given.data() + sign + 1, end, requirement.value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return requirement_error(given, "its number is none");
  std::vector<std::string_view> names;
  for (const score::Figure& figure : score::figures({})) names.push_back(figure.name);
  if (std::find(names.begin(), names.end(), requirement.name) == names.end())
    return requirement_error(
        given, base::format("there is no such figure; there are {}", base::joined(names, ", ")));
  return requirement;
}

// Returns whether all requirements are met, and prints those that are not.
bool meets_requirements(const std::vector<Requirement>& requirements, const score::Score& score) {
  bool are_met = true;
  for (const Requirement& requirement : requirements)
    for (const score::Figure& figure : score::figures(score)) {
      if (figure.name != requirement.name) continue;
      if (figure.is_larger_better ? figure.value >= requirement.value : figure.value <= requirement.value)
        continue;
      are_met = false;
      std::fputs(base::format("{} is {:.6g}, not {} {:g}\n", figure.name, figure.value,
                              figure.is_larger_better ? "at least" : "at most", requirement.value)
                     .c_str(),
                 stderr);
    }
  return are_met;
}

// Opens the map of the model, or the map transferred from its ancestor.
OpenedMap open_scored_map(EvalFlags& flags) {
  flags.more_inputs = {flags.truth, flags.ancestor};
  if (flags.ancestor.empty()) return open_map(flags);
  if (const int code = resolve_options(flags); code != done) return {nullptr, code};
  const OpenedMap ancestor = keep_map(flags, pipeline::map_file(flags.ancestor, flags.options));
  if (ancestor.map == nullptr) return ancestor;
  return keep_map(flags, pipeline::map_derived(*ancestor.map, flags.model, flags.options));
}

int run_eval(EvalFlags& flags) {
  std::vector<Requirement> requirements;
  for (const std::string& given : flags.require) {
    Result<Requirement> requirement = parse_requirement(given);
    if (!requirement) return fail(requirement.error());
    requirements.push_back(*std::move(requirement));
  }
  const Result<score::Truth> truth = score::open_truth(flags.truth);
  if (!truth) return fail(truth.error());
  const OpenedMap opened = open_scored_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  const semantics::Map& map = *opened.map;
  if (!map.hierarchy().tags().empty()) return fail(api::tags_would_be_scored(map.model().file()));
  const Result<score::Score> score = score::score(map, *truth, flags.truth);
  if (!score) return fail(score.error());
  const int code = write_output(flags, [&](base::Writer& out) {
    if (flags.format == "json")
      output::write_score_json(*score, map.model().file(), map.strategy().name, out);
    else
      output::write_score_table(*score, out);
  });
  if (code != done) return code;
  return meets_requirements(requirements, *score) ? done : nothing_found;
}

}  // namespace

void add_eval(Program& program) {
  auto flags = std::make_shared<EvalFlags>();
  Command command = program.add("eval", Purpose::checking, text);
  add_model_flags(command, *flags);
  command.section("Score");
  command.text({.name = "-t,--truth", .help = "Truth file of the model", .type = "FILE", .required = true},
               flags->truth);
  command.text({.name = "--ancestor",
                .help = "Model that this one was made from; scores the transfer",
                .type = "FILE"},
               flags->ancestor);
  command.section("Output");
  command.text({.name = "-f,--format",
                .help = "table or json",
                .type = "FORMAT",
                .choices = {"table", "json"},
                .show_default = true},
               flags->format);
  command.section("Score");
  command.comma_list({.name = "--require",
                      .help = "Exit with 1 unless these figures are reached",
                      .type = "NAME=NUMBER,..."},
                     flags->require);
  add_ignore_tags_flag(command, *flags);
  command.set_action([flags] { return run_eval(*flags); });
}

}  // namespace thence::cli
