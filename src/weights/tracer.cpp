#include "weights/tracer.h"

#include <algorithm>

#include "hierarchy/metadata_dialects.h"
#include "weights/limits.h"

namespace thence::weights {

using modules::ModuleId;
using modules::no_module;

namespace {

// The list for each value of the main graph that has one.
std::unordered_map<std::string_view, std::string_view> read_folded_from(const onnx::Model& model) {
  std::unordered_map<std::string_view, std::string_view> found;
  const std::string_view key =
      hierarchy::MetadataDialects::shipped().key_of(hierarchy::MetadataField::folded_from);
  if (model.graphs().empty() || key.empty()) return found;
  for (const std::string_view message : model.value_infos(model.graphs().front())) {
    if (message.find(key) == std::string_view::npos) continue;
    const onnx::ValueInfoView info = onnx::read_value_info(message);
    for (const onnx::MetadataEntry& entry : info.metadata)
      if (entry.key == key) found.emplace(info.name, entry.value);
  }
  return found;
}

}  // namespace

Tracer::Tracer(const semantics::Map& map)
    : map_(map),
      captured_(map.hierarchy().recorded()),
      consumers_(map.model()),
      roles_(find_quantisation_roles(map.model())),
      is_quantised_(map.model().initializers().size(), false),
      weights_(map.model().initializers().size()),
      folded_from_(read_folded_from(map.model())),
      files_(map.model()) {
  for (const onnx::Initializer& initializer : model().initializers())
    tensors_.push_back(initializer.sparse ? onnx::TensorView() : model().tensor(initializer));
  for (const QuantisationRole& role : roles_)
    for (const std::uint32_t weight : role.weights) is_quantised_[weight] = true;
}

bool Tracer::is_open(std::size_t initializer) const {
  return !weights_[initializer].is_known() && !is_quantisation(initializer) &&
         tensors_[initializer].elements().value_or(0) > 0;
}

std::string_view Tracer::name(std::size_t initializer) const {
  const onnx::ValueId value = model().initializers()[initializer].value;
  return value == onnx::none ? std::string_view() : model().value_name(value);
}

std::string_view Tracer::folded_from(std::size_t initializer) const {
  const auto found = folded_from_.find(name(initializer));
  return found == folded_from_.end() ? std::string_view() : found->second;
}

ModuleId Tracer::consumer_module(std::size_t initializer) const {
  const auto consumers = consumers_.of(initializer);
  if (consumers.empty() || consumers.size() > max_consumers) return no_module;
  const ModuleId module = map_.own_answer(consumers.front().node).computing_module();
  const bool is_same = std::all_of(consumers.begin(), consumers.end(), [&](const Consumer& each) {
    return map_.own_answer(each.node).computing_module() == module;
  });
  return is_same ? module : no_module;
}

std::optional<onnx::ContentHash> Tracer::content(std::size_t initializer) {
  const onnx::Initializer& stored = model().initializers()[initializer];
  const onnx::TensorView& header = tensors_[initializer];
  if (stored.sparse) return std::nullopt;
  if (!header.external) return onnx::hash_content(model(), stored);
  const unsigned width = onnx::bytes_per_element(header.data_type);
  const std::string_view bytes = dataflow::elements_of(onnx::Pieces{stored.bytes}, header, &files_);
  if (width == 0 || bytes.empty()) return std::nullopt;
  return onnx::hash_content(bytes, width);
}

void Tracer::set(std::size_t initializer, std::vector<std::string> parameters, Transform transform,
                 WeightSource source) {
  if (parameters.size() > max_parameters) parameters.resize(max_parameters);
  for (const std::string& each : parameters) ++named_[each];
  weights_[initializer] = {std::move(parameters), transform, source};
}

void Tracer::clear(std::size_t initializer) {
  for (const std::string& each : weights_[initializer].parameters)
    if (const auto found = named_.find(each); found != named_.end() && --found->second == 0)
      named_.erase(found);
  weights_[initializer] = {};
}

std::vector<Weight> Tracer::finish() {
  const std::vector<ModuleId> owners = map_.initializer_owners();
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (!is_quantisation(i)) continue;
    weights_[i] = {{}, roles_[i].role, WeightSource::quantisation};
    for (const std::uint32_t weight : roles_[i].weights)
      if (weights_[weight].holds_parameters())
        for (const std::string& each : weights_[weight].parameters)
          if (weights_[i].parameters.size() < max_parameters) weights_[i].parameters.push_back(each);
  }
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const std::vector<std::string>& parameters = weights_[i].parameters;
    const ModuleId owner =
        parameters.empty() ? no_module : map_.own_tree().find(owner_of(parameters.front()));
    weights_[i].module = owner == no_module ? owners[i] : map_.shown_as(owner);
  }
  return std::move(weights_);
}

Transform transform_by_shape(const onnx::TensorView& tensor, const CapturedParameter& parameter, Fit fit) {
  if (is_cast(tensor, parameter)) return Transform::cast;
  return fit == Fit::reordered ? Transform::transposed : Transform::identity;
}

}  // namespace thence::weights
