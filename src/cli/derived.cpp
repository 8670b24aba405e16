#include "cli/derived.h"

#include "pipeline/pipeline.h"

namespace thence::cli {

DerivedMap open_derived(const ModelFlags& flags, const std::string& model, const std::string& ancestor) {
  DerivedMap opened;
  if (ancestor.empty()) {
    opened.map = keep_map(flags, pipeline::map_file(model, flags.options));
    return opened;
  }
  semantics::MapOptions plain = flags.options;  // rules apply only to the model itself
  plain.rules.clear();
  plain.granularity.reset();
  const OpenedMap original = keep_map(flags, pipeline::map_file(ancestor, plain));
  opened.ancestor = original.map;
  opened.map = original.map == nullptr
                   ? original
                   : keep_map(flags, pipeline::map_derived(*original.map, model, flags.options));
  return opened;
}

}  // namespace thence::cli
