// thence map --strategy all: compares all strategies on one model.
#include "api/strategies.h"

#include "cli/command.h"
#include "pipeline/pipeline.h"

namespace thence::cli {

int compare_strategies(ModelFlags& flags, const std::string& format) {
  if (const int code = resolve_options(flags); code != done) return code;
  const auto results = api::compare_strategies(flags.options, [&](const semantics::MapOptions& options) {
    return pipeline::map_file(flags.model, options);
  });
  if (!results) return fail(results.error());
  return write_output(flags, [&](base::Writer& out) { api::write_strategies(*results, format, out); });
}

}  // namespace thence::cli
