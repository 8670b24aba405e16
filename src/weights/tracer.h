// Tracer: what is known so far about each initializer. The steps read it and add to it, strongest evidence
// first: names, content, the exporter's metadata, consumers.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dataflow/data_files.h"
#include "onnx/content_hash.h"
#include "semantics/map.h"
#include "weights/captured_parameters.h"
#include "weights/consumers.h"
#include "weights/quantisation.h"
#include "weights/weight.h"

namespace thence::weights {

class Tracer {
 public:
  explicit Tracer(const semantics::Map& map);

  const semantics::Map& map() const { return map_; }
  const onnx::Model& model() const { return map_.model(); }
  CapturedParameters& captured() { return captured_; }
  const Consumers& consumers() const { return consumers_; }

  std::size_t size() const { return weights_.size(); }
  const Weight& operator[](std::size_t initializer) const { return weights_[initializer]; }
  /// Whether a step may still name parameters: it has elements, and no scale or zero point has its place.
  bool is_open(std::size_t initializer) const;
  bool is_quantisation(std::size_t initializer) const { return roles_[initializer].role != Transform::none; }
  /// Whether its elements are quantised: a scale or a zero point belongs to it.
  bool is_quantised(std::size_t initializer) const { return is_quantised_[initializer]; }
  std::string_view name(std::size_t initializer) const;
  /// The values from which the exporter reports to have computed an initializer, in Python syntax; empty if
  /// it reports none.
  std::string_view folded_from(std::size_t initializer) const;
  const onnx::TensorView& tensor(std::size_t initializer) const { return tensors_[initializer]; }
  /// The module of the nodes that read an initializer, of the model's own tree; no_module if there are
  /// several or none.
  modules::ModuleId consumer_module(std::size_t initializer) const;
  /// Whether some initializer is known to hold the parameter.
  bool is_named(std::string_view parameter) const { return named_.contains(std::string(parameter)); }
  /// Hashes of the content; nothing if it cannot be read.
  std::optional<onnx::ContentHash> content(std::size_t initializer);

  void set(std::size_t initializer, std::vector<std::string> parameters, Transform transform,
           WeightSource source);
  void clear(std::size_t initializer);
  /// Gives scales and zero points the parameters of their weights, and every initializer its module.
  std::vector<Weight> finish();

 private:
  const semantics::Map& map_;
  CapturedParameters captured_;
  Consumers consumers_;
  std::vector<QuantisationRole> roles_;
  std::vector<bool> is_quantised_;
  std::vector<onnx::TensorView> tensors_;
  std::vector<Weight> weights_;
  std::unordered_map<std::string, std::uint32_t> named_;  // how many initializers hold a parameter
  std::unordered_map<std::string_view, std::string_view> folded_from_;  // by name
  dataflow::DataFiles files_;
};

/// By content, in a graph that another tool built after the model of the capture.
void trace_by_held(Tracer& tracer);
/// What is left of a graph of PyTorch's exporters, likewise: optimisers join the weights of attention.
void trace_joined(Tracer& tracer);
/// By names that the exporter or a quantiser kept; only of initializers that may hold a parameter, if a
/// function is given.
void trace_by_name(Tracer& tracer, const std::function<bool(std::size_t)>& may_hold_parameter = {});
/// Convolutions into which the exporter folded a norm, by the module that its metadata names.
void trace_folded_norms(Tracer& tracer);
/// By the fingerprints of the live parameters in a capture.
void trace_by_content(Tracer& tracer);
/// By the parameters from which the exporter reports to have computed a constant.
void trace_by_metadata(Tracer& tracer);
/// By the module whose nodes read it, and the input at which they do.
void trace_by_consumers(Tracer& tracer);
/// By what tags record; instead of what the other steps found.
void trace_by_tags(Tracer& tracer);
/// By the only parameter around the consumers that the file no longer has.
void trace_by_absence(Tracer& tracer);

/// The transform of a tensor that holds all elements of a captured parameter, by type and shape.
Transform transform_by_shape(const onnx::TensorView& tensor, const CapturedParameter& parameter, Fit fit);

}  // namespace thence::weights
