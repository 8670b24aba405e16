#include "options.h"

#include "failure.h"
#include "rules/read.h"

namespace thence::python {

semantics::MapOptions make_options(const std::string& capture, const std::string& strategy,
                                   const std::optional<std::vector<std::string>>& exceptions,
                                   const std::string& rules_file, const std::string& granularity) {
  semantics::MapOptions options;
  options.strategy = strategy;
  options.capture = capture;
  options.torch_nn_exceptions = exceptions;
  options.rules = rules_file;
  if (granularity.empty()) return options;
  options.granularity = rules::granularity_of(granularity);
  if (!options.granularity) fail(rules::no_such_granularity(granularity));
  return options;
}

}  // namespace thence::python
