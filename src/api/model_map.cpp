// The public API over the core: the same answers, as plain values.
#include <thence/map.h>

#include "api/model_map_impl.h"
#include "base/written_text.h"
#include "output/formats.h"
#include "pipeline/pipeline.h"

namespace thence {
namespace {

using modules::no_module;

std::optional<std::string> optional_text(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

}  // namespace

ModelMap::ModelMap(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
ModelMap::ModelMap(ModelMap&&) noexcept = default;
ModelMap& ModelMap::operator=(ModelMap&&) noexcept = default;
ModelMap::~ModelMap() = default;

const shapes::InferredShapes& ModelMap::Impl::shapes() const {
  std::call_once(shapes_are_inferred, [&] { inferred_shapes = shapes::infer(map.model()); });
  return *inferred_shapes;
}

const dataflow::Uses& ModelMap::Impl::uses() const {
  std::call_once(uses_are_listed, [&] { listed_uses.emplace(map.model()); });
  return *listed_uses;
}

Result<ModelMap> map_model(const std::string& path, const Options& options) {
  const semantics::MapOptions inner = api::map_options(options);
  Result<semantics::Map> map = pipeline::map_file(path, inner);
  if (!map) return map.error();
  return ModelMap(std::make_shared<ModelMap::Impl>(*std::move(map), inner.capture, nullptr));
}

Result<ModelMap> map_bytes(std::string_view bytes, const Options& options) {
  const semantics::MapOptions inner = api::map_options(options);
  Result<semantics::Map> map = pipeline::map_bytes(bytes, "bytes", inner);
  if (!map) return map.error();
  return ModelMap(std::make_shared<ModelMap::Impl>(*std::move(map), inner.capture, nullptr));
}

std::size_t ModelMap::size() const { return impl_->map.model().node_count(); }
const Diagnostics& ModelMap::diagnostics() const { return impl_->map.diagnostics(); }

Row ModelMap::row(std::size_t number) const {
  const semantics::Map& map = impl_->map;
  const auto id = static_cast<onnx::NodeId>(number);
  const onnx::Node node = map.model().node(id);
  const resolve::Attribution& answer = map.answer(id);
  const auto path = [&](modules::ModuleId module) {
    return module == no_module ? std::nullopt : std::optional<std::string>(map.tree()[module].path);
  };
  Row row;
  row.graph = map.model().graph_label(node.graph());
  row.index = node.index();
  row.name = node.name();
  row.op_type = node.op_type();
  row.domain = node.domain();
  row.module = path(answer.module);
  if (const modules::CallNumber call = answer.call()) row.call = *call;
  for (const modules::ModuleId module : map.modules_of(id)) row.modules.emplace_back(map.tree()[module].path);
  row.weight_owner = path(answer.weight_owner);
  row.level = semantics::level_of(answer);
  row.confidence = answer.confidence;
  row.reason = optional_text(map.reason(id));
  if (!answer.known()) {
    row.tag = optional_text(map.tag_of_unknown());
    return row;
  }
  const semantics::ModuleFacts facts = map.facts(answer.module);
  row.module_class = optional_text(map.tree()[answer.module].class_name);
  row.module_kind = optional_text(map.module_kind(id));
  row.hf_module = path(facts.hf_module);
  if (facts.hf_module != no_module)
    row.hf_module_class = optional_text(map.tree()[facts.hf_module].class_name);
  row.tag = optional_text(facts.tag);
  row.semantic_type = optional_text(facts.role.type);
  row.component = optional_text(facts.role.component);
  for (const modules::LayerStep& step : facts.layers) row.layer_path.emplace_back(step.container, step.index);
  if (!facts.layers.empty()) row.layer_id = facts.layers.front().index;
  row.source = evidence::name_of(answer.source);
  return row;
}

std::vector<std::size_t> ModelMap::find(std::string_view name) const {
  std::vector<std::size_t> found;
  for (onnx::NodeId id = 0; id < size(); ++id)
    if (impl_->map.model().node(id).name() == name) found.push_back(id);
  return found;
}

std::string ModelMap::json() const {
  return base::written_text([&](base::Writer& out) { output::write_map_json(impl_->map, 1, out); });
}

std::string ModelMap::explain(std::size_t node) const {
  return base::written_text([&](base::Writer& out) {
    output::write_explanation(impl_->map, impl_->shapes(), impl_->uses(), static_cast<onnx::NodeId>(node),
                              false, out);
  });
}

std::vector<Module> ModelMap::modules() const {
  const semantics::Map& map = impl_->map;
  const modules::ModuleTree& tree = map.tree();
  std::vector<std::size_t> nodes(tree.size(), 0);
  for (onnx::NodeId id = 0; id < size(); ++id)
    if (const resolve::Attribution& answer = map.answer(id); answer.known()) ++nodes[answer.module];
  std::vector<Module> found;
  std::vector<modules::ModuleId> pending = {modules::root};
  while (!pending.empty()) {
    const modules::ModuleId id = pending.back();
    pending.pop_back();
    const std::vector<modules::ModuleId> children = tree.ordered_children(id);
    pending.insert(pending.end(), children.rbegin(), children.rend());
    const modules::Module& module = tree[id];
    const semantics::Role role = map.role(id);
    Module row;
    row.path = module.path;
    row.class_name = optional_text(module.class_name);
    if (module.parent != no_module) row.parent = tree[module.parent].path;
    row.aliases.assign(module.aliases.begin(), module.aliases.end());
    row.calls = module.calls;
    row.semantic_type = optional_text(role.type);
    row.component = optional_text(role.component);
    row.nodes = nodes[id];
    found.push_back(std::move(row));
  }
  return found;
}

}  // namespace thence
