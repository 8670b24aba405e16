#include "resolve/rule.h"

#include <algorithm>

namespace thence::resolve {

using evidence::Evidence;
using evidence::Source;

std::string_view rule_of(std::span<const Evidence> all, const Attribution& answer) {
  const auto is_rival = [&](const Evidence& e) { return e.module != answer.module; };
  if (!answer.known() || answer.inferred || std::none_of(all.begin(), all.end(), is_rival)) return {};
  const Source first = all.front().source;
  switch (answer.source) {
    case Source::parameter:
      if (first != Source::parameter) return "of two merged nodes, the one whose weight is read ran it";
      break;
    case Source::value_names:
      if (first != Source::value_names) return "of a fused node, the module that its output is named after";
      break;
    case Source::execution_trace:
    case Source::fx_graph:
      if (first == Source::dynamo_metadata) return "what was heard running beats the exporter's stack";
      break;
    default: break;
  }
  if (answer.source != first) return {};
  const bool several = std::any_of(all.begin(), all.end(),
                                   [&](const Evidence& e) { return e.source == first && is_rival(e); });
  return several ? "of several that fit, the one whose parameter is read" : "the stronger source wins";
}

}  // namespace thence::resolve
