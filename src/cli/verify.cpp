#include "cli/verify.h"

#include <cstdlib>
#include <filesystem>
#include <set>

#include "api/verification.h"
#include "base/json_writer.h"
#include "output/verification.h"

namespace thence::cli {
namespace {

using evidence::Verification;
using transfer::Claim;

std::string request(const onnx::Model& ancestor, const onnx::Model& descendant, bool quiet) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.member<"ancestor">(ancestor.file());
  json.member<"descendant">(descendant.file());
  if (quiet) json.member<"quiet">(true);
  json.end_object();
  return text;
}

// The size of the model file and of its external data files.
std::uintmax_t bytes_of(const onnx::Model& model) {
  namespace fs = std::filesystem;
  const fs::path file = model.file();
  std::set<fs::path> files = {file};
  for (const onnx::Initializer& initializer : model.initializers())
    if (const auto& external = model.tensor(initializer).external; external)
      files.insert(file.parent_path() / external->location);
  std::uintmax_t bytes = 0;
  for (const fs::path& one : files) {
    std::error_code failed;
    if (const std::uintmax_t size = fs::file_size(one, failed); !failed) bytes += size;
  }
  return bytes;
}

void write_names(const onnx::Model& model, const std::vector<onnx::ValueId>& values, base::JsonWriter& json) {
  json.begin_array();
  for (const onnx::ValueId value : values) json.value(model.value_name(value));
  json.end_array();
}

}  // namespace

transfer::Verifier verifier(const ModelFlags& flags, const PythonLimits& limits, int& exit_code) {
  return
      [quiet = flags.quiet, limits, &exit_code](const std::vector<Claim>& claims, const onnx::Model& ancestor,
                                                const onnx::Model& descendant) -> Result<Verification> {
        std::string answer;
        PythonLimits allowed = limits;
        allowed.allow_for_files(bytes_of(ancestor) + bytes_of(descendant));
        exit_code = run_python_child(
            "transfer --verify", request(ancestor, descendant, quiet), allowed,
            [&](base::Writer& out) {
              for (const Claim& claim : claims) {
                base::JsonWriter json(out.buffer());
                json.begin_array();
                write_names(descendant, claim.ours, json);
                write_names(ancestor, claim.theirs, json);
                json.end_array();
                out.add("\n");
              }
            },
            &answer);
        if (exit_code != done) return Error{};
        return api::read_verification(answer, claims, ancestor, descendant);
      };
}

void print_verification(const semantics::Map& map) {
  std::fputs(output::verification_text(map).c_str(), stderr);
}

}  // namespace thence::cli
