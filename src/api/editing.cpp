// ModelMap::tag, ModelMap::extract.
#include "api/model_map_impl.h"
#include "base/atomic_file.h"
#include "edit/extract.h"
#include "edit/tag.h"

namespace thence {
namespace {

std::optional<Error> write_model(const std::string& output, const wire::Splice& splice) {
  return base::write_atomically(output, [&](base::Writer& out) { splice.write(out); });
}

std::vector<std::string> names_of(const std::vector<edit::Boundary>& values) {
  std::vector<std::string> names;
  for (const edit::Boundary& value : values) names.push_back(value.name);
  return names;
}

}  // namespace

Result<Tagged> ModelMap::tag(const std::string& output, const TagOptions& options) const {
  const semantics::Map& map = impl_->map;
  edit::TagOptions inner{.with_namespace = options.with_namespace,
                         .strip_stack_traces = options.strip_stack_traces};
  if (impl_->ancestor != nullptr) {
    weights::TracedChain traced = impl_->traced_weights();
    inner.weights = {traced.live_parameters, std::move(traced.named)};
  }
  const Result<edit::TagOptions> complete = edit::complete_tag_options(std::move(inner), map, impl_->capture);
  if (!complete) return complete.error();
  if (std::optional<Error> error = write_model(output, edit::tag_model(map, *complete)))
    return *std::move(error);
  Tagged made{.nodes = size()};
  for (onnx::NodeId id = 0; id < size(); ++id) made.tagged += map.answer(id).known();
  return made;
}

Result<Extracted> ModelMap::extract(const std::string& module, const std::string& output,
                                    const ExtractOptions& options) const {
  const semantics::Map& map = impl_->map;
  const edit::Types types = edit::types_of_model(map.model());
  const Result<edit::Subgraph> part =
      edit::find_subgraph(map, {module, options.call, options.keep_names}, types);
  if (!part) return part.error();
  if (std::optional<Error> error = write_model(output, edit::extract_model(map, *part, types)))
    return *std::move(error);
  return Extracted{part->nodes.size(), part->initializers.size(), names_of(part->inputs),
                   names_of(part->outputs), part->untyped};
}

}  // namespace thence
