// tags: answers that thence wrote into the model earlier, used while the fingerprint of the node is
// unchanged.
#include "evidence/source.h"
#include "evidence/thresholds.h"

namespace thence::evidence {

void collect_tags(const onnx::Model&, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  for (const hierarchy::NodeTag& tag : hierarchy.tags())
    if (tag.is_current && tag.module != modules::no_module)
      sink.push({.node = tag.node,
                 .module = tag.module,
                 .call = tag.call,
                 .source = Source::tags,
                 .why = tag.path,
                 .max_confidence = tag.confidence > 0 ? tag.confidence : unstated_tag_confidence});
}

}  // namespace thence::evidence
