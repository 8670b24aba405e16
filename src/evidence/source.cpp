#include "evidence/source.h"

namespace thence::evidence {

std::string_view name_of(Source source) {
  static constexpr std::array<std::string_view, source_count> names = {
      "tags",        "transferred", "trace_module_map", "dynamo_metadata", "onnx_scope_parsing",
      "value_names", "function",    "execution_trace",  "fx_graph",        "parameter",
      "neighbours"};
  return names[static_cast<std::size_t>(source)];
}

Sink collect(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, SourceSet sources,
             const AncestorAnswers* ancestor) {
  Sink sink;
  if (sources.has(Source::tags)) collect_tags(model, hierarchy, sink);
  if (sources.has(Source::transferred) && ancestor != nullptr) collect_transferred(*ancestor, sink);
  if (sources.has(Source::trace_module_map)) collect_module_map(model, hierarchy, sink);
  if (sources.has(Source::dynamo_metadata)) collect_dynamo_metadata(model, hierarchy, sink);
  if (sources.has(Source::onnx_scope_parsing)) collect_scopes(model, hierarchy, sink);
  if (sources.has(Source::value_names)) collect_value_names(model, hierarchy, sink);
  if (sources.has(Source::function)) collect_functions(model, hierarchy, sink);
  // The operations of a graph that another tool built are not those that were recorded: weights tell more.
  const bool has_weights = hierarchy.weight_owners().has_any() && sources.has(Source::parameter);
  for (const Source source : {Source::execution_trace, Source::fx_graph})
    if (sources.has(source) && !has_weights) collect_recording(model, hierarchy, source, sink);
  if (sources.has(Source::parameter)) collect_parameters(model, hierarchy, sink);
  return sink;
}

}  // namespace thence::evidence
