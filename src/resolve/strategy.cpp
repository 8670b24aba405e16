#include "resolve/strategy.h"

#include <array>
#include <vector>

#include "base/format.h"
#include "base/text.h"

namespace thence::resolve {
namespace {

using enum evidence::Source;

constexpr std::array<Strategy, 6> table = {{
    {"auto",
     {tags, trace_module_map, dynamo_metadata, onnx_scope_parsing, value_names, function, execution_trace,
      fx_graph, parameter, neighbours},
     false,
     "",
     "every source at hand, best first"},
    {"enhanced_semantic",
     {tags, dynamo_metadata, onnx_scope_parsing, value_names, function, parameter, neighbours},
     false,
     "",
     "the file and the hierarchy: names, metadata, parameter names, neighbours"},
    {"usage_based",
     {tags, dynamo_metadata, onnx_scope_parsing, execution_trace, parameter},
     true,
     "",
     "clear lineage only: direct evidence and recorded calls, torch.nn filtered but for the exceptions"},
    {"htp",
     {execution_trace, neighbours},
     false,
     "execution_trace",
     "the operations seen while the model ran, projected onto the graph",
     true},
    {"universal",
     {trace_module_map, neighbours},
     false,
     "module_map",
     "PyTorch's own module map, recorded during export"},
    {"fx_graph",
     {evidence::Source::fx_graph, neighbours},
     false,
     "fx_graph",
     "the torch.export graph, correlated structurally"},
}};

}  // namespace

std::span<const Strategy> strategies() { return table; }

Strategy with_ancestor(Strategy strategy) {
  strategy.sources = {transferred};
  strategy.needs_classes = false;
  strategy.needs_section = {};
  return strategy;
}

Strategy beside_ancestor(Strategy strategy) {
  strategy.sources.add(transferred);
  return strategy;
}

Result<Strategy> find_strategy(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Strategy& strategy : table) {
    if (strategy.name == name) return strategy;
    names.push_back(strategy.name);
  }
  return Error{ErrorKind::usage, "U001", base::format("unknown strategy '{}'", base::printable(name)),
               base::format("strategies: {}", base::joined(names, ", "))};
}

}  // namespace thence::resolve
