#include "dataflow/value_graph.h"

#include <numeric>

#include "dataflow/graph_builder.h"

namespace thence::dataflow {

ValueGraph::ValueGraph(const onnx::Model& model, OperatorIds& operators, WeightMatcher* reference,
                       const SampledFingerprint* samples)
    : model_(&model),
      files_(model),
      operators_(model, operators),
      nodes_(model.node_count()),
      canonical_(model.value_count()),
      view_hashes_(model.value_count(), 0),
      scales_(model.value_count(), false),
      clamped_(model.value_count(), false),
      producers_(model.value_count(), none),
      constant_of_(model.value_count(), none) {
  std::iota(canonical_.begin(), canonical_.end(), CanonicalValue{0});
  GraphBuilder(*this, operators, reference, samples).run();
  uses_ = {producers_.size(), [this](const auto& add) {
             for (OperationId id = 0; id < operations_.size(); ++id)
               if (operations_[id].output_index == 0)
                 for (const CanonicalValue input : inputs(operations_[id])) add(input, id);
           }};
}

bool ValueGraph::is_auxiliary(onnx::NodeId node) const {
  if (nodes_[node].shape_or_constant || !nodes_[node].view) return nodes_[node].shape_or_constant;
  return constant(canonical_[model_->node(node).outputs()[0]]) != nullptr;
}

const shapes::InferredShapes& ValueGraph::shapes() const {
  if (!shapes_) shapes_ = std::make_shared<const shapes::InferredShapes>(shapes::infer(*model_));
  return *shapes_;
}

bool have_same_name(const ValueGraph& one, CanonicalValue of_one, const ValueGraph& other,
                    CanonicalValue of_other) {
  return of_one < one.model().value_count() && of_other < other.model().value_count() &&
         one.model().value_name(of_one) == other.model().value_name(of_other);
}

}  // namespace thence::dataflow
