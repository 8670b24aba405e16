// The public options in terms of the core.
#include "api/model_map_impl.h"

#include <thence/version.h>

namespace thence {
namespace {

std::string strategy_name(Strategy strategy) {
  switch (strategy) {
    case Strategy::automatic: return "auto";
    case Strategy::enhanced_semantic: return "enhanced_semantic";
    case Strategy::usage_based: return "usage_based";
    case Strategy::htp: return "htp";
    case Strategy::universal: return "universal";
    case Strategy::fx_graph: return "fx_graph";
  }
  return "auto";
}

rules::Granularity inner_granularity(Granularity granularity) {
  switch (granularity) {
    case Granularity::hf: return rules::Granularity::hf;
    case Granularity::nn: return rules::Granularity::nn;
    case Granularity::custom: return rules::Granularity::custom;
  }
  return rules::Granularity::as_is;
}

}  // namespace

semantics::MapOptions api::map_options(const Options& options) {
  semantics::MapOptions inner;
  inner.strategy = strategy_name(options.strategy);
  inner.capture = options.capture;
  inner.torch_nn_exceptions = options.torch_nn_exceptions;
  inner.rules = options.rules;
  if (options.granularity) inner.granularity = inner_granularity(*options.granularity);
  inner.ignore_tags = options.ignore_tags;
  return inner;
}

const char* version() { return THENCE_VERSION; }

}  // namespace thence
