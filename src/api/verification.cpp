#include "api/verification.h"

#include <cstdlib>

#include "base/format.h"
#include "base/text.h"

namespace thence::api {
namespace {

using evidence::Verification;
using transfer::Claim;

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

}  // namespace

Result<Verification> read_verification(std::string_view answer, const std::vector<Claim>& claims,
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

}  // namespace thence::api
