// tags: what thence wrote into the model earlier, believed only while the node's fingerprint still fits.
#include "evidence/source.h"

namespace thence::evidence {

void collect_tags(const onnx::Model&, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  for (const hierarchy::NodeTag& tag : hierarchy.tags())
    if (tag.is_current && tag.module != modules::no_module)
      sink.push({.node = tag.node, .module = tag.module, .source = Source::tags, .why = tag.path});
}

}  // namespace thence::evidence
