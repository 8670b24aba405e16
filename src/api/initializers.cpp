// ModelMap::initializers.
#include "api/model_map_impl.h"

namespace thence {
namespace {

static_assert(static_cast<int>(Transform::none) == static_cast<int>(weights::Transform::none));
static_assert(static_cast<int>(Transform::zero_point_of) ==
              static_cast<int>(weights::Transform::zero_point_of));

}  // namespace

std::string_view name_of(Transform transform) {
  return weights::name_of(static_cast<weights::Transform>(transform));
}

weights::TracedChain ModelMap::Impl::traced_weights() const {
  weights::TracedChain chain;
  if (ancestor == nullptr) {
    chain.begin(map);
    return chain;
  }
  chain = ancestor->traced_weights();
  chain.advance(ancestor->map, map);
  return chain;
}

std::vector<Initializer> ModelMap::initializers() const {
  const semantics::Map& map = impl_->map;
  const std::vector<onnx::Initializer>& tensors = map.model().initializers();
  const std::vector<weights::Weight> traced = impl_->traced_weights().named;
  std::vector<Initializer> found;
  found.reserve(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const onnx::TensorView tensor = map.model().tensor(tensors[i]);
    Initializer row;
    row.name = tensor.name;
    row.parameters = traced[i].parameters;
    row.transform = static_cast<Transform>(traced[i].transform);
    if (traced[i].module != modules::no_module) row.module = map.tree()[traced[i].module].path;
    row.shape = tensor.dims;
    found.push_back(std::move(row));
  }
  return found;
}

}  // namespace thence
