// The public API over the core: the same answers, as plain values.
#include <thence/map.h>

#include "base/written_text.h"
#include "output/formats.h"
#include "pipeline/pipeline.h"
#include "rules/read.h"
#include "semantics/map.h"

namespace thence {
namespace {

using modules::no_module;

std::optional<std::string> optional_text(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

Result<semantics::MapOptions> map_options(const Options& options) {
  semantics::MapOptions inner;
  inner.strategy = options.strategy;
  inner.capture = options.capture;
  inner.torch_nn_exceptions = options.torch_nn_exceptions;
  inner.rules = options.rules;
  if (options.granularity.empty()) return inner;
  inner.granularity = rules::granularity_of(options.granularity);
  if (!inner.granularity) return rules::no_such_granularity(options.granularity);
  return inner;
}

}  // namespace

struct ModelMap::Impl {
  semantics::Map map;
  std::optional<shapes::InferredShapes> shapes = {};  // inferred on first use
};

ModelMap::ModelMap(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ModelMap::ModelMap(ModelMap&&) noexcept = default;
ModelMap& ModelMap::operator=(ModelMap&&) noexcept = default;
ModelMap::~ModelMap() = default;

Result<ModelMap> map_model(const std::string& path, const Options& options) {
  const Result<semantics::MapOptions> inner = map_options(options);
  if (!inner) return inner.error();
  Result<semantics::Map> map = pipeline::map_file(path, *inner);
  if (!map) return map.error();
  return ModelMap(std::make_unique<ModelMap::Impl>(ModelMap::Impl{*std::move(map)}));
}

Result<ModelMap> map_bytes(std::string_view bytes, const Options& options) {
  const Result<semantics::MapOptions> inner = map_options(options);
  if (!inner) return inner.error();
  Result<semantics::Map> map = pipeline::map_bytes(bytes, "bytes", *inner);
  if (!map) return map.error();
  return ModelMap(std::make_unique<ModelMap::Impl>(ModelMap::Impl{*std::move(map)}));
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
  if (!impl_->shapes) impl_->shapes = shapes::infer(impl_->map.model());
  return base::written_text([&](base::Writer& out) {
    output::write_explanation(impl_->map, *impl_->shapes, static_cast<onnx::NodeId>(node), false, out);
  });
}

}  // namespace thence
