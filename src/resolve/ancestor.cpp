#include "resolve/ancestor.h"

#include <algorithm>

#include "resolve/propagate.h"

namespace thence::resolve {
namespace {

Reason reason_of(evidence::NoAnswer why) {
  switch (why) {
    case evidence::NoAnswer::none: return Reason::none;
    case evidence::NoAnswer::not_matched: return Reason::not_matched;
    case evidence::NoAnswer::refuted: return Reason::refuted;
    case evidence::NoAnswer::unknown_in_ancestor: return Reason::unknown_in_ancestor;
    case evidence::NoAnswer::ambiguous: return Reason::ambiguous;
    case evidence::NoAnswer::feeds_several: return Reason::feeds_several;
  }
  return Reason::none;
}

// A node without a module in the ancestor, or whose numbers refute the match, stays unknown.
bool is_open(const evidence::AncestorAnswer& answer, const Attribution& node) {
  return !node.known() && (answer.no_answer == evidence::NoAnswer::not_matched ||
                           answer.no_answer == evidence::NoAnswer::ambiguous ||
                           answer.no_answer == evidence::NoAnswer::feeds_several);
}

}  // namespace

void apply_ancestor_answers(const evidence::AncestorAnswers& ancestor, Resolution& resolution) {
  for (onnx::NodeId id = 0; id < resolution.nodes.size(); ++id) {
    Attribution& node = resolution.nodes[id];
    const evidence::AncestorAnswer& answer = ancestor.answers[id];
    node.weight_owner = answer.weight_owner;
    if (node.known())
      node.confidence = std::min(node.confidence, answer.max_confidence);
    else if (answer.no_answer != evidence::NoAnswer::none)
      node.reason = reason_of(answer.no_answer);
  }
}

bool leaves_open(const evidence::AncestorAnswers& ancestor, const Resolution& resolution) {
  for (onnx::NodeId id = 0; id < resolution.nodes.size(); ++id)
    if (is_open(ancestor.answers[id], resolution.nodes[id])) return true;
  return false;
}

void add_own_answers(const evidence::AncestorAnswers& ancestor, const Resolution& own,
                     Resolution& resolution) {
  for (onnx::NodeId id = 0; id < resolution.nodes.size(); ++id) {
    const evidence::AncestorAnswer& answer = ancestor.answers[id];
    const Attribution& mine = own.nodes[id];
    if (!is_open(answer, resolution.nodes[id]) || !mine.known()) continue;
    // The file's own evidence chooses between the candidates. It does not add one.
    const auto candidates = ancestor.modules_of(id);
    if (answer.no_answer == evidence::NoAnswer::ambiguous &&
        std::find(candidates.begin(), candidates.end(), mine.module) == candidates.end())
      continue;
    std::vector<ModuleId> modules = own.module_sets[mine.module_set];
    resolution.nodes[id] = mine;
    resolution.nodes[id].module_set = 0;
    set_modules(resolution, id, std::move(modules));
  }
}

}  // namespace thence::resolve
