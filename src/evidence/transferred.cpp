// transferred.cpp: each node matched with a node of the ancestor gets that node's modules.
#include "evidence/ancestor.h"

namespace thence::evidence {

void collect_transferred(const AncestorAnswers& ancestor, Sink& sink) {
  for (NodeId id = 0; id < ancestor.answers.size(); ++id) {
    const AncestorAnswer& answer = ancestor.answers[id];
    const auto nodes = ancestor.nodes_of(id);
    const std::string_view why = nodes.empty() ? std::string_view() : ancestor.model->node(nodes[0]).name();
    Strength strength = answer.strength;
    for (const ModuleId module : ancestor.modules_of(id)) {
      sink.push({id, module, answer.call, Source::transferred, strength, why});
      strength.is_secondary = true;
    }
  }
}

}  // namespace thence::evidence
