#include "cli/verify.h"

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/text.h"
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

std::string first_name(const onnx::Model& model, const std::vector<onnx::ValueId>& values) {
  return values.empty() ? std::string() : std::string(model.value_name(values.front()));
}

Verification::Refuted refuted(std::size_t at, const Claim& claim, const std::string& off,
                              const onnx::Model& ancestor, const onnx::Model& descendant) {
  const onnx::Node node = descendant.node(claim.node);
  return {.claim = at,
          .node = std::string(node.name()),
          .location = base::format("{}#{}", descendant.graph_label(node.graph()), node.index()),
          .value = first_name(descendant, claim.ours),
          .ancestor_value = first_name(ancestor, claim.theirs),
          .deviation = off.empty() ? std::nullopt : std::optional(std::strtod(off.c_str(), nullptr))};
}

// The answer has one line per claim: `confirmed`, `refuted` and the difference of the values, or the reason
// why they cannot be compared. Or it has a single line: `not_run` and the reason.
Result<Verification> read_answer(std::string_view answer, const std::vector<Claim>& claims,
                                 const onnx::Model& ancestor, const onnx::Model& descendant) {
  Verification found{.ancestor = ancestor.file(), .descendant = descendant.file(), .claims = claims.size()};
  std::size_t at = 0;
  for (const std::string_view line : base::split(answer, '\n')) {
    if (line.empty()) continue;
    const std::string_view word = line.substr(0, line.find(' '));
    const std::string rest(line.substr(std::min(line.size(), word.size() + 1)));
    if (word == "not_run") {
      found.not_run = rest;
      return found;
    }
    if (at == claims.size()) break;
    if (word == "confirmed")
      ++found.confirmed;
    else if (word == "refuted")
      found.refuted.push_back(refuted(at, claims[at], rest, ancestor, descendant));
    else
      ++found.not_comparable[std::string(word)];
    ++at;
  }
  if (at == claims.size()) return found;
  return Error{ErrorKind::input_output, "F005",
               base::format("Python answered {} of {} claims", at, claims.size()), "try again"};
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
        return read_answer(answer, claims, ancestor, descendant);
      };
}

void print_verification(const semantics::Map& map) {
  std::fputs(output::verification_text(map).c_str(), stderr);
}

}  // namespace thence::cli
