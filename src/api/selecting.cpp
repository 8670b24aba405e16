// ModelMap::query.
#include "api/model_map_impl.h"
#include "query/selector.h"

namespace thence {

Result<std::vector<std::size_t>> ModelMap::query(const Selection& selection) const {
  query::Selectors wanted;
  wanted.modules = selection.modules;
  wanted.under = selection.under;
  wanted.classes = selection.classes;
  wanted.roles = selection.roles;
  wanted.components = selection.components;
  wanted.layers = selection.layers;
  wanted.ops = selection.ops;
  wanted.parameters = selection.parameters;
  wanted.min_confidence = selection.min_confidence;
  wanted.unknown = selection.unknown;
  wanted.where = selection.where;
  if (wanted.empty())
    return Error{ErrorKind::usage, "U014", "the selection is empty", "set a member, such as modules or ops"};
  const Result<query::Selector> selector = query::Selector::make(wanted);
  if (!selector) return selector.error();
  const Result<std::vector<onnx::NodeId>> nodes = selector->run(impl_->map);
  if (!nodes) return nodes.error();
  return std::vector<std::size_t>(nodes->begin(), nodes->end());
}

}  // namespace thence
