// thence profile: the times of a runtime's kernels by module.
#include <filesystem>
#include <memory>

#include "base/format.h"
#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/derived.h"
#include "cli/python.h"
#include "cli/run_folder.h"
#include "output/profile_formats.h"
#include "profile/compare.h"
#include "profile/join.h"
#include "profile/read.h"
#include "profile/rows.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Print where a runtime spends its time, by module",
    .details =
        R"(Joins the profile of a runtime with the map of the model that ran. Times are exclusive for each kernel, so they add up:
to the time of a module with the modules inside it, and to the sum of all kernels. Kernels without a module have a row of their
own. A fused kernel counts for its primary module; --split flops divides it among the modules of its members.

PROFILE is a trace of onnxruntime (JSON), an execution graph (XML) or profiling information (JSON) of OpenVINO, or a profile of
TensorRT (JSON) with its layer information. MODEL is the file that ran. If the runtime optimised the model, save the optimised
model, give it as MODEL, and name the original with --ancestor.

--run makes the profile with onnxruntime, on generated inputs or those of --inputs, and does all of this. For a model that was
already optimised or quantised, --ancestor names its original here, too.

--against compares with other runs. A row is faster or slower if the 99% bootstrap interval of the difference of the medians
excludes zero; both sides need five runs.)",
    .examples = R"(  thence profile model.onnx --run
      run the model 20 times and print its modules with their times
  thence profile optimised.onnx profile.json --ancestor model.onnx --capture model.capture.json
      use a profile that was recorded elsewhere
  thence profile model.onnx profile.json --by class --top 10
      list the ten classes with the most time
  thence profile model.onnx profile.json --format speedscope -o profile.speedscope.json
      open the file at https://www.speedscope.app
  thence profile model.onnx before.json --against after.json
      list what became faster or slower)",
    .exit_codes =
        "0 success, 1 the profile is of another model or has no kernels, 2 wrong usage, 3 a file cannot be "
        "decoded "
        "or the model cannot be run, 4 input/output failure",
};

struct ProfileFlags : ModelFlags {
  std::vector<std::string> profiles, against;
  std::string ancestor, against_model;
  std::vector<std::string> ancestors;  // --ancestor, then the model that --run optimised
  std::string format = "table", by = "module", split;
  std::optional<std::size_t> warmup, depth;
  std::size_t top = 0;
  bool run = false;
  std::size_t repeats = 20, run_threads = 0;
  std::string provider = "cpu", level = "all", inputs;
  PythonLimits limits = default_limits;
};

bool is_rows_format(const std::string& format) {
  return format == "table" || format == "json" || format == "jsonl" || output::is_csv(format);
}

Error usage_error(const char* problem, const char* hint) { return {ErrorKind::usage, "K010", problem, hint}; }

std::optional<Error> check_usage(const ProfileFlags& flags) {
  if (flags.run && !flags.profiles.empty())
    return usage_error("--run records a profile, and a profile is given too", "remove one of them");
  if (!flags.run && flags.profiles.empty())
    return usage_error("no profile is given",
                       "give the file that the runtime wrote, or record one with --run");
  if (flags.run && flags.model == "-")
    return usage_error("--run cannot run standard input", "write the model to a file first");
  if (!flags.against_model.empty() && flags.against.empty())
    return usage_error("--against-model needs the profile of that model", "add --against FILE");
  if (!flags.against.empty() && !is_rows_format(flags.format))
    return usage_error("a comparison is written as table, json, jsonl or csv",
                       "choose one of them with --format");
  return std::nullopt;
}

std::string run_request(const ProfileFlags& flags, const std::string& folder) {
  std::string request;
  base::JsonWriter json(request);
  json.begin_object();
  json.member<"model">(flags.model);
  json.member<"folder">(folder);
  json.member<"warmup">(flags.warmup.value_or(0));
  json.member<"repeats">(flags.repeats);
  json.member<"threads">(flags.run_threads);
  json.member<"provider">(flags.provider);
  json.member<"level">(flags.level);
  if (!flags.inputs.empty()) json.member<"inputs">(flags.inputs);
  if (flags.quiet) json.member<"quiet">(true);
  json.end_object();
  return request;
}

// Records a profile with Python, and makes the flags name it and the model that ran.
int record_profile(ProfileFlags& flags) {
  const Result<std::string> folder = RunFolder::make();
  if (!folder) return fail(folder.error());
  if (!flags.warmup) flags.warmup = 3;
  PythonLimits allowed = flags.limits;
  std::error_code failed;
  if (const std::uintmax_t size = std::filesystem::file_size(flags.model, failed); !failed)
    allowed.allow_for_files(size);
  const int code =
      run_python_child("profile --run", run_request(flags, *folder), allowed, [](base::Writer&) {}, nullptr);
  if (code != done) return code;
  const std::string optimised = *folder + "/" + optimised_model;
  flags.profiles = {*folder + "/" + recorded_profile};
  if (std::filesystem::exists(optimised, failed)) {
    flags.ancestors.push_back(flags.model);
    flags.model = optimised;
  }
  return done;
}

// Reports damaged and unrelated files before the runs, which can take minutes.
int check_files(const ProfileFlags& flags) {
  ProfileFlags quiet = flags;
  quiet.quiet = true;  // what is worth a warning is printed when the files are opened for the answers
  const DerivedMap model = open_derived(quiet, flags.model, flags.ancestors);
  return model.map.map == nullptr ? model.map.exit_code : done;
}

Result<profile::JoinedProfile> read_and_join(const ProfileFlags& flags, const std::vector<std::string>& files,
                                             const DerivedMap& model) {
  const profile::ReadOptions options{.skipped_runs = flags.warmup.value_or(0),
                                     .model_nodes = model.map.map->model().node_count()};
  Result<profile::Recording> recording = profile::read_profiles(files, options);
  if (!recording) return recording.error();
  Result<profile::JoinedProfile> joined = profile::join(*model.map.map, *std::move(recording));
  if (joined && !flags.split.empty()) profile::split_by_flops(*joined, model.ancestor);
  return joined;
}

void write_rows_as(const ProfileFlags& flags, const profile::ProfileRows& rows, base::Writer& out) {
  if (flags.format == "json")
    output::write_profile_json(rows, out);
  else if (flags.format == "jsonl")
    output::write_profile_jsonl(rows, out);
  else if (output::is_csv(flags.format))
    output::write_profile_csv(rows, output::formulas_in(flags.format), out);
  else if (flags.format == "speedscope")
    output::write_speedscope(rows, out);
  else if (flags.format == "collapsed")
    output::write_collapsed_stacks(rows, out);
  else if (flags.format == "model-explorer")
    output::write_time_overlay(rows, out);
  else
    output::write_profile_table(rows, {table_width(flags), colour_on_output(flags)}, out);
}

void print_cut_note(const ProfileFlags& flags, const profile::JoinedProfile& profile) {
  if (profile.recording.is_cut && !flags.quiet)
    std::fputs(
        base::format("warning[{}]: the profile has more kernels than the limits; the others share a row\n",
                     "K006")
            .c_str(),
        stderr);
}

int write_profile(const ProfileFlags& flags, const profile::ProfileRows& rows) {
  const int code = write_output(flags, [&](base::Writer& out) {
    if (flags.format == "chrome-trace")
      output::write_chrome_trace(rows.profile(), flags.profiles, out);
    else
      write_rows_as(flags, rows, out);
  });
  if (code == done && !flags.quiet) std::fputs((output::profile_summary(rows) + "\n").c_str(), stderr);
  return code;
}

int write_comparison(const ProfileFlags& flags, const output::ComparedProfiles& compared) {
  const int code = write_output(flags, [&](base::Writer& out) {
    if (flags.format == "json")
      output::write_changes_json(compared, out);
    else if (flags.format == "jsonl")
      output::write_changes_jsonl(compared, out);
    else if (output::is_csv(flags.format))
      output::write_changes_csv(compared, output::formulas_in(flags.format), out);
    else
      output::write_changes_table(compared, {table_width(flags), colour_on_output(flags)}, out);
  });
  if (code == done && !flags.quiet) std::fputs((output::changes_summary(compared) + "\n").c_str(), stderr);
  return code;
}

int run_profile(ProfileFlags& flags) {
  if (const std::optional<Error> error = check_usage(flags)) return fail(*error);
  flags.more_inputs = flags.profiles;
  flags.more_inputs.insert(flags.more_inputs.end(), flags.against.begin(), flags.against.end());
  flags.more_inputs.insert(flags.more_inputs.end(),
                           {flags.ancestor, flags.against_model, flags.inputs, flags.model});
  if (const int code = resolve_options(flags); code != done) return code;
  if (!flags.ancestor.empty()) flags.ancestors = {flags.ancestor};
  const RunFolder folder;  // removed at the end
  if (flags.run) {
    if (const int code = check_files(flags); code != done) return code;
    if (const int code = record_profile(flags); code != done) return code;
  }
  const DerivedMap model = open_derived(flags, flags.model, flags.ancestors);
  if (model.map.map == nullptr) return model.map.exit_code;
  const Result<profile::JoinedProfile> joined = read_and_join(flags, flags.profiles, model);
  if (!joined) return fail(joined.error());
  print_cut_note(flags, *joined);
  if (flags.format == "chrome-trace" && joined->recording.runtime != profile::Runtime::onnxruntime)
    return fail(usage_error("chrome-trace needs a trace of onnxruntime: other profiles have no times of day",
                            "choose another --format"));
  profile::RowOptions options{.by = *profile::group_by_named(flags.by)};
  options.depth = flags.depth.value_or(options.depth);
  options.top = flags.top;
  if (flags.against.empty()) return write_profile(flags, profile::ProfileRows(*joined, options));

  DerivedMap other = model;
  if (!flags.against_model.empty()) other = open_derived(flags, flags.against_model, flags.ancestors);
  if (other.map.map == nullptr) return other.map.exit_code;
  const Result<profile::JoinedProfile> joined_other = read_and_join(flags, flags.against, other);
  if (!joined_other) return fail(joined_other.error());
  const profile::ProfileRows before(*joined, options), after(*joined_other, options);
  return write_comparison(flags, {before, after, profile::compare(before, after)});
}

void add_run_flags(Command& command, ProfileFlags& flags) {
  command.section("Recording");
  command.flag({.name = "--run", .help = "Record a profile with onnxruntime; needs Python with onnxruntime"},
               flags.run);
  command.number({.name = "--repeats", .help = "Number of runs", .type = "N", .show_default = true},
                 flags.repeats, 1, 100'000);
  command.number({.name = "--warmup",
                  .help = "Runs to ignore at the beginning of each profile (default: 3 with --run, else 0)",
                  .type = "N"},
                 flags.warmup, 0, 100'000);
  command.number({.name = "--threads", .help = "Threads of the runtime; 0: one per core", .type = "N"},
                 flags.run_threads, 0, 1024);
  command.text({.name = "--provider",
                .help = "Execution provider: cpu, cuda or the name of one of onnxruntime's",
                .type = "NAME",
                .show_default = true},
               flags.provider);
  command.text({.name = "--level",
                .help = "Optimisations of the runtime",
                .type = "NAME",
                .choices = {"disable", "basic", "extended", "all"},
                .show_default = true},
               flags.level);
  command.text({.name = "--inputs", .help = "Inputs of the model (default: generated)", .type = "FILE.npz"},
               flags.inputs);
  add_limit_flags(command, flags.limits, "running the model");
}

void add_row_flags(Command& command, ProfileFlags& flags) {
  command.section("Rows");
  command.text(
      {.name = "--by",
       .help = "What rows are: modules as a tree, or one row per class, role, layer, operator or provider",
       .type = "NAME",
       .choices = {"module", "class", "role", "layer", "op", "provider"},
       .show_default = true},
      flags.by);
  command.number({.name = "--depth", .help = "Depth of the tree of modules", .type = "N"}, flags.depth, 0,
                 64);
  command.number({.name = "--top", .help = "Only the N rows with the most exclusive time", .type = "N"},
                 flags.top, 1, 1'000'000);
  command.text({.name = "--split",
                .help = "Divide fused kernels among the modules of their members: flops (by operations)",
                .type = "NAME",
                .choices = {"flops"}},
               flags.split);
}

}  // namespace

void add_profile(Program& program) {
  auto flags = std::make_shared<ProfileFlags>();
  Command command = program.add("profile", Purpose::asking, text);
  command.text({.name = "model",
                .help = "ONNX file that ran; - reads standard input",
                .type = "MODEL",
                .required = true},
               flags->model);
  command.texts(
      {.name = "profiles", .help = "Files that the runtime wrote; their runs are joined", .type = "PROFILE"},
      flags->profiles);
  add_answer_flags(command, *flags, "Write to FILE instead of standard output");
  command.section("Evidence");
  command.text({.name = "--ancestor", .help = "Model that this one was made from", .type = "FILE"},
               flags->ancestor);
  add_rules_flags(command, *flags);
  add_row_flags(command, *flags);
  command.section("Comparison");
  command.texts({.name = "--against", .help = "Profiles to compare with", .type = "PROFILE"}, flags->against);
  command.text(
      {.name = "--against-model", .help = "Model of those profiles, if it is another one", .type = "FILE"},
      flags->against_model);
  add_run_flags(command, *flags);
  command.section("Output");
  command.text(
      {.name = "-f,--format",
       .help =
           "table, json, jsonl, csv, csv-raw; speedscope, collapsed (stacks), chrome-trace; model-explorer "
           "(node data)",
       .type = "FORMAT",
       .choices = {"table", "json", "jsonl", "csv", "csv-raw", "speedscope", "collapsed", "chrome-trace",
                   "model-explorer"},
       .show_default = true},
      flags->format);
  add_width_flag(command, *flags);
  command.set_action([flags] { return run_profile(*flags); });
}

}  // namespace thence::cli
