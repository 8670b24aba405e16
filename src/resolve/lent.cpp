#include "resolve/lent.h"

#include <algorithm>

namespace thence::resolve {

using evidence::Source;
using evidence::Strength;

void collect_transferred(const Lent& lent, evidence::Sink& sink) {
  for (onnx::NodeId id = 0; id < lent.answers.size(); ++id) {
    const LentAnswer& answer = lent.answers[id];
    const auto nodes = lent.nodes_of(id);
    const std::string_view why = nodes.empty() ? std::string_view() : lent.ancestor->node(nodes[0]).name();
    Strength strength = answer.strength;
    for (const ModuleId module : lent.modules_of(id)) {
      sink.push({id, module, answer.call, Source::transferred, strength, why});
      strength.is_secondary = true;
    }
  }
}

void complete_lent(const Lent& lent, Resolution& resolution) {
  for (onnx::NodeId id = 0; id < resolution.nodes.size(); ++id) {
    Attribution& node = resolution.nodes[id];
    const LentAnswer& answer = lent.answers[id];
    node.weight_owner = answer.weight_owner;
    if (node.known())
      node.confidence = std::min(node.confidence, answer.at_most);
    else if (answer.reason != Reason::none)
      node.reason = answer.reason;
  }
}

}  // namespace thence::resolve
