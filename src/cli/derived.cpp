#include "cli/derived.h"

#include "pipeline/pipeline.h"

namespace thence::cli {

DerivedMap open_derived(const ModelFlags& flags, const std::string& model,
                        const std::vector<std::string>& ancestors) {
  DerivedMap opened;
  semantics::MapOptions plain = flags.options;  // rules apply only to the model itself
  plain.rules.clear();
  plain.granularity.reset();
  for (const std::string& ancestor : ancestors) {
    opened.map = keep_map(flags, opened.ancestor == nullptr
                                     ? pipeline::map_file(ancestor, plain)
                                     : pipeline::map_derived(*opened.ancestor, ancestor, plain));
    opened.ancestor = opened.map.map;
    if (opened.ancestor == nullptr) return opened;
  }
  opened.map = keep_map(flags, opened.ancestor == nullptr
                                   ? pipeline::map_file(model, flags.options)
                                   : pipeline::map_derived(*opened.ancestor, model, flags.options));
  return opened;
}

}  // namespace thence::cli
