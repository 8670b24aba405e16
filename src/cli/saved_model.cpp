#include "cli/saved_model.h"

#include <filesystem>

#include "base/json_writer.h"
#include "cli/python.h"

namespace thence::cli {
namespace {

namespace fs = std::filesystem;

// A configuration of a few bytes can describe a model of any size. A mixture of 256 experts in 61 layers
// needs 0.5 GiB, of which the packages are most.
// errors.md: time and memory for the description of a saved model
constexpr std::size_t seconds = default_seconds, mebibytes = 2 * default_mebibytes;
constexpr PythonLimits description_limits = {
    .seconds = seconds,
    .mebibytes = mebibytes,
    .remedy = "check the configuration; or run thence capture, and give the file with --capture"};

std::string description_request(const ModelFlags& flags) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.member<"path">(flags.saved_model);
  json.member<"quiet">(flags.quiet);
  json.end_object();
  return text;
}

}  // namespace

int describe_saved_model(ModelFlags& flags) {
  if (flags.saved_model.empty() || flags.options.checkpoint) return done;
  if (!flags.options.capture.empty())
    return fail({ErrorKind::usage, "U035", "--model and --capture exclude each other",
                 "keep one of them; a capture has all that a saved model has, except for its weights"});
  capture::Checkpoint checkpoint{flags.saved_model, {}};
  const int code = run_python_child(
      "--model", description_request(flags), description_limits, [](base::Writer&) {},
      &checkpoint.description);
  // Without Python, the model cannot be read: the flags are not wrong.
  if (code == wrong_usage) return static_cast<int>(ErrorKind::bad_input);
  if (code == done) flags.options.checkpoint = std::move(checkpoint);
  return code;
}

bool is_part_of_saved_model(const ModelFlags& flags, const std::string& file) {
  if (flags.saved_model.empty()) return false;
  std::error_code ignored;  // a file may not exist
  const fs::path path(file), given(flags.saved_model);
  if (fs::equivalent(given, path, ignored)) return true;
  const bool is_in_folder =
      fs::exists(path, ignored) && fs::equivalent(fs::absolute(path, ignored).parent_path(), given, ignored);
  return is_in_folder && (path.extension() == ".safetensors" || path.extension() == ".json");
}

}  // namespace thence::cli
