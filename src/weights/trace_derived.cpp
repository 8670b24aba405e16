// The weights of a model that was derived from another: by the content of the ancestor's initializers, by
// names that the tool kept, and by the nodes of the ancestor that the consumers compute.
#include <algorithm>
#include <iterator>
#include <optional>

#include "dataflow/sampled_fingerprint.h"
#include "dataflow/weight_matcher.h"
#include "evidence/ancestor.h"
#include "hierarchy/derived_names.h"
#include "weights/ancestor_weights.h"
#include "weights/limits.h"
#include "weights/trace.h"
#include "weights/tracer.h"

namespace thence::weights {
namespace {

using dataflow::Constant;

void append_new(std::vector<std::string>& list, const std::vector<std::string>& more) {
  for (const std::string& each : more)
    if (list.size() < max_parameters && std::find(list.begin(), list.end(), each) == list.end())
      list.push_back(each);
}

class DerivedTracer {
 public:
  DerivedTracer(Tracer& tracer, const AncestorWeights& theirs, const dataflow::ValueGraph& graph)
      : tracer_(tracer), theirs_(theirs), graph_(graph), answers_(*tracer.map().ancestor()) {}

  void run() {
    is_constant_.resize(tracer_.size(), false);
    for (std::size_t i = 0; i < tracer_.size(); ++i)
      if (tracer_.is_open(i)) trace(i);
  }

  // Whether the ancestor has the initializer, and it holds no parameter there.
  bool is_constant(std::size_t initializer) const { return is_constant_[initializer]; }

 private:
  const Constant* constant(std::size_t initializer) const {
    const onnx::ValueId value = tracer_.model().initializers()[initializer].value;
    return value == onnx::none ? nullptr : graph_.constant(graph_.canonical(value));
  }

  void trace(std::size_t initializer) {
    const std::vector<std::uint32_t> read_by_origins = find_read_by_origins(initializer);
    std::uint32_t same = find_by_content(initializer, read_by_origins);
    if (same == onnx::none) same = find_by_name(initializer, read_by_origins);
    if (same != onnx::none) return set_from(initializer, same);
    if (const Constant* const ours = constant(initializer); ours != nullptr)
      if (const auto parts = theirs_.parts_of(*ours); parts.size() > 1)
        return set_concatenated(initializer, parts);
    trace_by_origins(initializer, read_by_origins);
    if (tracer_.is_open(initializer)) trace_computed(initializer);
  }

  // The initializers of the ancestor that are read by the nodes that the consumers compute.
  std::vector<std::uint32_t> find_read_by_origins(std::size_t initializer) {
    std::vector<std::uint32_t> found;
    each_origin(initializer, [&](onnx::NodeId origin) {
      for (const std::uint32_t read : theirs_.read_by(origin))
        if (read != onnx::none && found.size() < max_equal_initializers &&
            std::find(found.begin(), found.end(), read) == found.end())
          found.push_back(read);
    });
    return found;
  }

  // Calls `use` with the nodes of the ancestor that the consumers compute.
  template <class Use>
  void each_origin(std::size_t initializer, Use use) {
    const auto consumers = tracer_.consumers().of(initializer);
    for (const Consumer& each : consumers.first(std::min(consumers.size(), max_consumers)))
      for (const onnx::NodeId origin : origins_of(each.node)) {
        const std::size_t inputs = std::min(theirs_.model().node(origin).inputs().size(), max_inputs);
        if (inputs > inputs_left_) return;
        inputs_left_ -= inputs;
        use(origin);
      }
  }

  std::span<const onnx::NodeId> origins_of(onnx::NodeId node) const {
    const auto origins = answers_.nodes_of(node);
    return origins.first(std::min(origins.size(), max_consumers));
  }

  std::uint32_t find_by_content(std::size_t initializer, const std::vector<std::uint32_t>& read) const {
    const Constant* const ours = constant(initializer);
    if (ours == nullptr || ours->fingerprint == 0) return onnx::none;
    const auto equal = theirs_.with_content(ours->fingerprint);
    if (equal.empty()) return onnx::none;
    if (const std::uint32_t named = theirs_.with_name(original_name(initializer));
        std::find(equal.begin(), equal.end(), named) != equal.end())
      return named;
    std::vector<std::uint32_t> also_read;
    for (const std::uint32_t each : equal)
      if (std::find(read.begin(), read.end(), each) != read.end()) also_read.push_back(each);
    if (also_read.size() == 1) return also_read.front();
    // Few numbers are equal by chance.
    const bool identifies = ours->elements >= 4 && !ours->is_uniform();
    return equal.size() == 1 && identifies ? equal.front() : onnx::none;
  }

  std::string_view original_name(std::size_t initializer) const {
    const std::string_view name = tracer_.name(initializer);
    if (theirs_.with_name(name) != onnx::none) return name;
    return hierarchy::DerivedNames::shipped().original_parameter(name);
  }

  // Tools reuse names for other tensors, so a name counts only if a consumer computes with the old tensor.
  std::uint32_t find_by_name(std::size_t initializer, const std::vector<std::uint32_t>& read) const {
    const std::uint32_t named = theirs_.with_name(original_name(initializer));
    if (named == onnx::none || std::find(read.begin(), read.end(), named) == read.end()) return onnx::none;
    const bool has_same_size = tracer_.tensor(initializer).elements() == theirs_.tensor(named).elements();
    return has_same_size || is_packed(initializer) ? named : onnx::none;
  }

  bool is_packed(std::size_t initializer) const {
    const auto consumers = tracer_.consumers().of(initializer);
    return std::any_of(consumers.begin(), consumers.end(), [&](const Consumer& each) {
      const onnx::Node node = tracer_.model().node(each.node);
      return is_packed_input(node.op_type(), each.input) || node.domain() == "com.microsoft.nchwc";
    });
  }

  void set_from(std::size_t initializer, std::uint32_t theirs) {
    const Weight& weight = theirs_.weight(theirs);
    if (!weight.holds_parameters()) {
      is_constant_[initializer] = true;
      return;
    }
    Transform changed = compare_elements(tracer_.tensor(initializer), constant(initializer),
                                         theirs_.tensor(theirs), theirs_.constant(theirs));
    if (changed != Transform::identity && is_packed(initializer)) changed = Transform::packed;
    std::vector<std::string> parameters = weight.parameters;
    if (changed == Transform::folded) add_norm(initializer, parameters);
    tracer_.set(initializer, std::move(parameters), compose(weight.transform, changed),
                WeightSource::ancestor);
  }

  // --- By the nodes of the ancestor that the consumers compute ---

  void trace_by_origins(std::size_t initializer, const std::vector<std::uint32_t>& read) {
    const onnx::TensorView& ours = tracer_.tensor(initializer);
    const bool is_matrix = ours.dims.size() > 1;
    const std::uint64_t elements = ours.elements().value_or(0);
    std::uint64_t sum = 0;
    std::vector<std::uint32_t> parts, whole;
    for (const std::uint32_t each : read) {
      const onnx::TensorView& tensor = theirs_.tensor(each);
      if (!theirs_.weight(each).holds_parameters() || !onnx::is_float(tensor.data_type) ||
          (tensor.dims.size() > 1) != is_matrix)
        continue;
      parts.push_back(each);
      sum += tensor.elements().value_or(0);
      if (tensor.elements() == elements) whole.push_back(each);
    }
    if (!is_matrix && set_folded_bias(initializer)) return;
    if (parts.size() > 1 && sum == elements) return set_concatenated(initializer, parts);
    if (whole.size() != 1 || elements < 2) return;
    std::vector<std::string> parameters = theirs_.weight(whole.front()).parameters;
    const bool is_quantised = !onnx::is_float(ours.data_type);
    if (!is_quantised) add_norm(initializer, parameters);
    tracer_.set(initializer, std::move(parameters), is_quantised ? Transform::quantised : Transform::folded,
                WeightSource::ancestor);
  }

  void set_concatenated(std::size_t initializer, const std::vector<std::uint32_t>& parts) {
    std::vector<std::string> parameters;
    for (const std::uint32_t each : parts) append_new(parameters, theirs_.weight(each).parameters);
    const bool is_quantised = !onnx::is_float(tracer_.tensor(initializer).data_type);
    tracer_.set(initializer, std::move(parameters),
                is_quantised ? Transform::quantised : Transform::concatenated, WeightSource::ancestor);
  }

  // Optimisers compute what depends on constants alone, such as rows of an embedding at fixed positions.
  // Either the value kept its name, or only one input of the consumers' origins is computed like this.
  void trace_computed(std::size_t initializer) {
    if (!onnx::is_float(tracer_.tensor(initializer).data_type)) return;
    std::vector<std::string> parameters;
    std::size_t inputs = 0;
    std::optional<std::uint64_t> fewest;  // elements of what it is computed from
    for (const onnx::ValueId value : computed_candidates(initializer)) {
      std::vector<std::string> behind;
      for (const std::uint32_t each : theirs_.computed_from(value))
        if (theirs_.weight(each).holds_parameters() && onnx::is_float(theirs_.tensor(each).data_type)) {
          append_new(behind, theirs_.weight(each).parameters);
          fewest = theirs_.tensor(each).elements();
        }
      if (behind.empty()) continue;
      parameters = std::move(behind);
      if (theirs_.model().value_name(value) == tracer_.name(initializer)) {
        inputs = 1;
        break;
      }
      ++inputs;
    }
    if (inputs != 1) return;
    // As many elements as the parameter has, but others: something was computed with them.
    const bool is_part = parameters.size() == 1 && fewest != tracer_.tensor(initializer).elements();
    tracer_.set(initializer, std::move(parameters), is_part ? Transform::split : Transform::folded,
                WeightSource::ancestor);
  }

  // Values that nodes of the ancestor compute and the origins of the consumers read.
  std::vector<onnx::ValueId> computed_candidates(std::size_t initializer) {
    std::vector<onnx::ValueId> found;
    each_origin(initializer, [&](onnx::NodeId origin) {
      const auto inputs = theirs_.model().node(origin).inputs();
      for (const onnx::ValueId value : inputs.first(std::min(inputs.size(), max_inputs)))
        if (value != onnx::none && found.size() < max_consumers &&
            theirs_.model().producer(value).kind == onnx::Producer::Kind::node &&
            std::find(found.begin(), found.end(), value) == found.end())
          found.push_back(value);
    });
    return found;
  }

  // The batch normalisation among the origins of a consumer; none if there is none.
  onnx::NodeId norm_of(std::size_t initializer) const {
    for (const Consumer& each : tracer_.consumers().of(initializer))
      for (const onnx::NodeId origin : origins_of(each.node))
        if (theirs_.model().node(origin).op_type() == "BatchNormalization" &&
            tracer_.model().node(each.node).op_type() != "BatchNormalization")
          return origin;
    return onnx::none;
  }

  void append_input(std::vector<std::string>& list, onnx::NodeId node, std::size_t input) const {
    const std::vector<std::uint32_t> read = theirs_.read_by(node);
    if (input < read.size() && read[input] != onnx::none)
      append_new(list, theirs_.weight(read[input]).parameters);
  }

  // A weight is multiplied by scale / sqrt(variance).
  void add_norm(std::size_t initializer, std::vector<std::string>& parameters) const {
    const onnx::NodeId norm = norm_of(initializer);
    if (norm == onnx::none) return;
    for (const std::size_t input : {std::size_t{1}, std::size_t{4}}) append_input(parameters, norm, input);
  }

  bool set_folded_bias(std::size_t initializer) {
    const onnx::NodeId norm = norm_of(initializer);
    if (norm == onnx::none) return false;
    std::vector<std::string> parameters;
    for (const Consumer& each : tracer_.consumers().of(initializer))
      for (const onnx::NodeId origin : origins_of(each.node))
        if (theirs_.model().node(origin).op_type().starts_with("Conv")) append_input(parameters, origin, 2);
    for (const std::size_t input : {std::size_t{2}, std::size_t{1}, std::size_t{3}, std::size_t{4}})
      append_input(parameters, norm, input);
    if (parameters.empty()) return false;
    const bool is_quantised = !onnx::is_float(tracer_.tensor(initializer).data_type);
    tracer_.set(initializer, std::move(parameters), is_quantised ? Transform::quantised : Transform::folded,
                WeightSource::ancestor);
    return true;
  }

  Tracer& tracer_;
  const AncestorWeights& theirs_;
  const dataflow::ValueGraph& graph_;
  const evidence::AncestorAnswers& answers_;
  std::vector<bool> is_constant_;  // by initializer
  std::size_t inputs_left_ = max_origin_inputs;
};

}  // namespace

std::vector<Weight> trace_weights(const semantics::Map& map, const semantics::Map& ancestor) {
  return trace_weights(map, ancestor, trace_weights(ancestor));
}

std::vector<Weight> trace_weights(const semantics::Map& map, const semantics::Map& ancestor,
                                  std::vector<Weight> ancestor_weights) {
  dataflow::OperatorIds operators;
  const dataflow::SampledFingerprint samples(ancestor.model(), map.model());
  const dataflow::ValueGraph theirs(ancestor.model(), operators, nullptr, &samples);
  dataflow::WeightMatcher matcher(theirs.constants());
  const dataflow::ValueGraph ours(map.model(), operators, &matcher, &samples);
  const AncestorWeights index(ancestor, theirs, std::move(ancestor_weights));
  const capture::Capture* const recorded = ancestor.hierarchy().recorded();
  const bool is_captured = recorded != nullptr && !recorded->parameters.empty();
  Tracer tracer(map);
  DerivedTracer derived(tracer, index, ours);
  derived.run();
  // What the ancestor does not answer, the file's own names may.
  trace_by_name(tracer, [&](std::size_t i) { return !is_captured || !derived.is_constant(i); });
  return tracer.finish();
}

}  // namespace thence::weights
