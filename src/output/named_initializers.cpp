#include "output/named_initializers.h"

#include "weights/trace.h"

namespace thence::output {

NamedInitializers::NamedInitializers(const semantics::Map& map, const std::vector<weights::Weight>* known)
    : rows(map.initializer_rows()) {
  if (known == nullptr && map.ancestor() != nullptr) return;  // the names that the file kept
  if (known == nullptr) traced = weights::trace_weights(map);
  const std::vector<weights::Weight>& named = known != nullptr ? *known : traced;
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].parameter =
        named[i].holds_parameters() ? std::string_view(named[i].parameters.front()) : std::string_view();
}

}  // namespace thence::output
