#include "transfer/view_chains.h"

#include <algorithm>

#include "dataflow/hash_mix.h"
#include "dataflow/noops.h"
#include "dataflow/primitive_ops.h"

namespace thence::transfer {
namespace {

using dataflow::Trait;

using shapes::Shape;

// The shape of the only output of a view.
Shape output_shape(const ValueGraph& graph, const onnx::Node& view) {
  const auto outputs = view.outputs();
  return outputs.size() == 1 && outputs[0] != none ? graph.shapes().values.shape(outputs[0]) : Shape();
}

// The constant shape or axes of a view; null if it has none. The canonical value of several sizes may be one
// of them, which has fewer elements.
const Constant* constant_parameter(const ValueGraph& graph, const onnx::Node& node) {
  if (node.inputs().size() < 2 || node.inputs()[1] == none) return nullptr;
  const Constant* const found = graph.constant(graph.canonical(node.inputs()[1]));
  if (found == nullptr || found->elements != 1) return found;
  const Shape shape = graph.shapes().values.shape(node.inputs()[1]);
  const bool is_one = !shape.known() || shape.rank() == 0 || (shape.rank() == 1 && shape[0].is(1));
  return is_one ? found : nullptr;
}

std::uint64_t permutation_hash(const onnx::Node& node) {
  std::uint64_t hash = 0;
  if (const auto perm = node.attribute("perm"))
    for (const std::int64_t axis : perm->ints)
      hash = dataflow::combine_hash(hash + 1, static_cast<std::uint64_t>(axis));
  return hash;
}

bool reads_quantisation_scale(const ValueGraph& graph, const onnx::Node& node) {
  const auto inputs = node.inputs();
  return std::any_of(inputs.begin(), inputs.end(), [&](onnx::ValueId value) {
    return value != none && graph.is_quantisation_scale(value);
  });
}

bool reads_integer_sums(const ValueGraph& graph, const onnx::Node& node) {
  if (node.inputs().empty() || node.inputs()[0] == none) return false;
  const onnx::Producer producer = graph.model().producer(node.inputs()[0]);
  return producer.kind == onnx::Producer::Kind::node && graph.has_trait(producer.index, Trait::integer_sums);
}

// The score of what two shapes have in common. Names of sizes say nothing, since rewrites rename them.
int shape_score(const Shape& one, const Shape& other) {
  if (!one.known() || !other.known()) return unknown_parameter_score;
  if (one.rank() != other.rank()) return other_parameter_score;
  bool are_numbers = true;
  for (std::size_t i = 0; i < one.rank(); ++i) {
    const bool both = one[i].is_number() && other[i].is_number();
    if (both && one[i] != other[i]) return other_parameter_score;
    are_numbers = are_numbers && both;
  }
  return are_numbers ? same_parameter_score : unknown_parameter_score;
}

// The score of aligning two views; 0 if they cannot be the same.
int alignment_score(const ValueGraph& descendant, onnx::NodeId ours, const ValueGraph& ancestor,
                    onnx::NodeId theirs) {
  if (!may_be_same_view(descendant, ours, ancestor, theirs)) return 0;
  const onnx::Node mine = descendant.model().node(ours), other = ancestor.model().node(theirs);
  if (mine.op_type() == "Transpose")
    return permutation_hash(mine) == permutation_hash(other) ? same_parameter_score : other_parameter_score;
  // Rewriters replace a shape that is computed, or that has a -1, by its sizes.
  if (mine.op_type() == "Reshape")
    return shape_score(output_shape(descendant, mine), output_shape(ancestor, other));
  const Constant *const parameter = constant_parameter(descendant, mine), *const wanted = constant_parameter(
                                                                              ancestor, other);
  if (parameter == nullptr || wanted == nullptr || parameter->fingerprint == 0 || wanted->fingerprint == 0)
    return unknown_parameter_score;
  return parameter->fingerprint == wanted->fingerprint ? same_parameter_score : other_parameter_score;
}

// A global alignment of two chains by dynamic programming, without a penalty for gaps.
class AlignmentTable {
 public:
  AlignmentTable(const ValueGraph& descendant, const std::vector<onnx::NodeId>& ours,
                 const ValueGraph& ancestor, const std::vector<onnx::NodeId>& theirs)
      : rows_(ours.size()),
        columns_(theirs.size()),
        best_((rows_ + 1) * (columns_ + 1), 0),
        score_(best_.size(), 0) {
    for (std::size_t i = rows_; i-- > 0;)
      for (std::size_t j = columns_; j-- > 0;) {
        score_[at(i, j)] = alignment_score(descendant, ours[i], ancestor, theirs[j]);
        best_[at(i, j)] = std::max(best(i + 1, j), best(i, j + 1));
        if (score_[at(i, j)] > 0)
          best_[at(i, j)] = std::max(best_[at(i, j)], score_[at(i, j)] + best(i + 1, j + 1));
      }
  }

  // The counterpart of row i among the columns from `first` on in a best alignment; columns() if it has none.
  std::size_t counterpart(std::size_t i, std::size_t first) const {
    const int wanted = best(i, first);
    for (std::size_t j = first; j < columns_; ++j) {
      if (score_[at(i, j)] > 0 && best(i, j) == wanted && wanted == score_[at(i, j)] + best(i + 1, j + 1))
        return j;
      if (best(i, j + 1) != wanted) break;  // the best alignment skips row i
    }
    return columns_;
  }
  std::size_t columns() const { return columns_; }

 private:
  std::size_t at(std::size_t i, std::size_t j) const { return i * (columns_ + 1) + j; }
  int best(std::size_t i, std::size_t j) const { return best_[at(i, j)]; }

  std::size_t rows_, columns_;
  std::vector<int> best_;   // the score of the best alignment of the rows and columns from here on
  std::vector<int> score_;  // of aligning a row and a column
};

// The input of a node that is a view of `wanted`, the last one if there are several.
onnx::ValueId input_viewing(const ValueGraph& graph, onnx::NodeId node, CanonicalValue wanted) {
  onnx::ValueId found = none;
  for (const onnx::ValueId input : graph.model().node(node).inputs())
    if (input != none && graph.canonical(input) == wanted) found = input;
  return found;
}

// The input that a no-op, or a removed one, forwards; none for other operations.
CanonicalValue forwarded_input(const ValueGraph& graph, CanonicalValue output, const RemovedNoops& removed) {
  const OperationId producer = graph.producer(output);
  if (producer == none) return none;
  const auto found = removed.find(output);
  return found != removed.end() ? found->second : graph.operation(producer).forwarded_input;
}

}  // namespace

std::vector<onnx::NodeId> view_chain(const ValueGraph& graph, onnx::ValueId value) {
  const RemovedNoops none_removed;
  return view_chain(graph, value, none_removed, graph.canonical(value)).views;
}

ViewChain view_chain(const ValueGraph& graph, onnx::ValueId value, const RemovedNoops& removed,
                     CanonicalValue until) {
  ViewChain chain{.views = {}, .start = graph.canonical(value)};
  for (std::size_t length = 0; length < max_view_chain; ++length) {
    const onnx::Producer producer = graph.model().producer(value);
    if (producer.kind != onnx::Producer::Kind::node) break;
    CanonicalValue read = chain.start;
    if (graph.is_view(producer.index))
      chain.views.push_back(producer.index);
    else if (chain.start == until || (read = forwarded_input(graph, chain.start, removed)) == none)
      break;
    const onnx::ValueId input = input_viewing(graph, producer.index, read);
    if (input == none || input == value) break;
    chain.start = read;
    value = input;
  }
  return chain;
}

std::size_t count_reshaping(const ValueGraph& graph, const std::vector<onnx::NodeId>& views) {
  return static_cast<std::size_t>(std::count_if(
      views.begin(), views.end(), [&](onnx::NodeId view) { return graph.has_trait(view, Trait::reshapes); }));
}

void drop_noop_views(const ValueGraph& graph, std::vector<onnx::NodeId>& views, std::size_t remaining) {
  if (views.size() <= remaining) return;
  const std::size_t reshaping = count_reshaping(graph, views);
  std::size_t surplus = reshaping > remaining ? reshaping - remaining : 0;
  std::erase_if(views, [&](onnx::NodeId view) {
    const bool is_dropped = surplus > 0 && dataflow::is_noop_view(graph, view);
    surplus -= is_dropped;
    return is_dropped;
  });
}

bool may_be_same_view(const ValueGraph& descendant, onnx::NodeId ours, const ValueGraph& ancestor,
                      onnx::NodeId theirs) {
  const onnx::Node mine = descendant.model().node(ours), other = ancestor.model().node(theirs);
  if (dataflow::canonical_view_op(mine) != dataflow::canonical_view_op(other)) return false;
  // Dequantisation is no part of the model itself.
  if (reads_quantisation_scale(descendant, mine) != reads_quantisation_scale(ancestor, other)) return false;
  if (reads_integer_sums(descendant, mine) != reads_integer_sums(ancestor, other)) return false;
  if (mine.op_type() != "Reshape") return true;
  // A rewrite keeps the rank of a shape, whatever happens to its sizes.
  const Shape shape = output_shape(descendant, mine), wanted = output_shape(ancestor, other);
  return !shape.known() || !wanted.known() || shape.rank() == wanted.rank();
}

bool are_interchangeable_reshapes(const ValueGraph& descendant, onnx::NodeId ours, const ValueGraph& ancestor,
                                  onnx::NodeId theirs) {
  return descendant.op(ours).name != ancestor.op(theirs).name &&
         descendant.has_trait(ours, Trait::regroups) && ancestor.has_trait(theirs, Trait::regroups);
}

ChainAlignment align_view_chains(const ValueGraph& descendant, const std::vector<onnx::NodeId>& ours,
                                 const ValueGraph& ancestor, const std::vector<onnx::NodeId>& theirs) {
  ChainAlignment alignment;
  alignment.positions.assign(ours.size(), ChainAlignment::unaligned);
  alignment.gaps.assign(ours.size(), {0, theirs.size()});
  if (ours.size() == 1 && theirs.size() <= 1) {  // most chains
    if (!theirs.empty() && may_be_same_view(descendant, ours[0], ancestor, theirs[0]))
      alignment.positions[0] = 0;
    return alignment;
  }
  const AlignmentTable table(descendant, ours, ancestor, theirs);
  std::size_t next = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    alignment.gaps[i].first = next;
    const std::size_t position = table.counterpart(i, next);
    if (position == table.columns()) continue;
    alignment.positions[i] = position;
    next = position + 1;
  }
  for (std::size_t i = ours.size(), end = theirs.size(); i-- > 0;) {
    alignment.gaps[i].second = end;
    if (alignment.positions[i] != ChainAlignment::unaligned) end = alignment.positions[i];
  }
  return alignment;
}

}  // namespace thence::transfer
