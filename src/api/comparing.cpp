// ModelMap::transfer, ModelMap::diff.
#include "api/model_map_impl.h"
#include "diff/diff.h"
#include "onnx/errors.h"
#include "pipeline/pipeline.h"

namespace thence {
namespace {

static_assert(static_cast<int>(DiffKind::added) == static_cast<int>(diff::DiffKind::added));
static_assert(static_cast<int>(DiffKind::not_compared) + 1 == static_cast<int>(diff::DiffKind::count));

}  // namespace

std::string_view name_of(DiffKind kind) { return diff::name_of(static_cast<diff::DiffKind>(kind)); }

Result<ModelMap> ModelMap::transfer(const std::string& path, const Options& options) const {
  const semantics::MapOptions inner = api::map_options(options);
  Result<semantics::Map> map = pipeline::map_derived(impl_->map, path, inner);
  if (!map) return map.error();
  return ModelMap(std::make_shared<Impl>(*std::move(map), impl_->capture, impl_));
}

Result<Differences> ModelMap::diff(const ModelMap& other, const std::vector<DiffKind>& ignored) const {
  const semantics::Map &before = impl_->map, &after = other.impl_->map;
  for (const semantics::Map* const map : {&before, &after})
    if (const std::optional<Error> error = onnx::invalid_external_data(map->model())) return *error;
  std::vector<diff::DiffKind> kinds;
  for (const DiffKind kind : ignored) kinds.push_back(static_cast<diff::DiffKind>(kind));
  const diff::Report report = diff::compare(before, after, kinds);
  Differences found{report.same_nodes, report.unread_weights, report.nothing_in_common, {}};
  for (const diff::Difference& one : report.differences) {
    const diff::ModuleRow& module = report.modules[one.module];
    found.list.push_back({.kind = static_cast<DiffKind>(one.kind),
                          .module = module.path,
                          .is_module_known = module.known,
                          .a = {one.a.begin(), one.a.end()},
                          .b = {one.b.begin(), one.b.end()},
                          .value = one.value,
                          .detail = one.detail});
  }
  return found;
}

}  // namespace thence
