#include "resolve/ancestor.h"

#include <algorithm>

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

}  // namespace thence::resolve
