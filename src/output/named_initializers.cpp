#include "output/named_initializers.h"

#include "weights/trace.h"

namespace thence::output {

// Those of a derived model need its ancestor, which a map does not have; they have the names that the file
// kept.
NamedInitializers::NamedInitializers(const semantics::Map& map) : rows(map.initializer_rows()) {
  if (map.ancestor() != nullptr) return;
  traced = weights::trace_weights(map);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].parameter =
        traced[i].holds_parameters() ? std::string_view(traced[i].parameters.front()) : std::string_view();
}

}  // namespace thence::output
