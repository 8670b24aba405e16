#include "diff/keys.h"

#include <algorithm>

#include "base/text_hash.h"
#include "dataflow/hash_mix.h"

namespace thence::diff {
namespace {

using dataflow::Trait;

using dataflow::combine_hash;
using onnx::none;

Key hash_of(std::string_view text) { return base::text_hash(text, base::process_seed()); }

Key key_of(const Tensor& tensor) {
  if (tensor.is_read) return tensor.content;
  // External data: everything but the name of the file.
  Key key = combine_hash(static_cast<Key>(tensor.type), tensor.elements);
  for (const std::int64_t dim : tensor.dims) key = combine_hash(key, static_cast<Key>(dim));
  if (tensor.message.empty()) return key;
  const auto external = onnx::read_tensor(tensor.message).external;
  return external
             ? combine_hash(combine_hash(key, external->offset.value_or(0)), external->length.value_or(0))
             : key;
}

}  // namespace

Keys::Keys(Side& side)
    : side_(side),
      bodies_(side.model),
      codes_(side.model.value_count(), 0),
      exact_(side.model.node_count(), 0),
      keys_without_views_(side.model.node_count(), 0) {
  const auto& graphs = side.model.graphs();
  for (const onnx::ValueId value : graphs[0].inputs)
    if (value != none) codes_[value] = combine_hash(hash_of(side.model.value_name(value)), 0x696e);
}

void Keys::run(const std::function<void(onnx::NodeId)>& on_node) {
  on_node_ = on_node;
  const auto& graphs = side_.model.graphs();
  for (onnx::GraphId id = 0; id < graphs.size(); ++id) {
    if (graphs[id].kind == onnx::Graph::Kind::body) continue;
    if (graphs[id].kind == onnx::Graph::Kind::function)
      for (std::size_t i = 0; i < graphs[id].inputs.size(); ++i)
        if (graphs[id].inputs[i] != none)
          codes_[graphs[id].inputs[i]] = combine_hash(hash_of(graphs[id].name), i);
    read_graph(id);
  }
}

void Keys::read_graph(onnx::GraphId id) {
  const onnx::Graph& graph = side_.model.graphs()[id];
  for (onnx::NodeId node_id = graph.first_node; node_id < graph.first_node + graph.node_count; ++node_id)
    read_node(node_id);
}

Key Keys::code_of_input(onnx::ValueId value) const {
  const Tensor* const constant = side_.constants.of(value);
  return constant != nullptr ? key_of(*constant) : codes_[value];
}

Key Keys::code_without_views(onnx::ValueId value) const {
  const dataflow::CanonicalValue canonical = side_.graph.canonical(value);
  const dataflow::Constant* const constant = side_.graph.constant(canonical);
  if (constant != nullptr && constant->fingerprint != 0) return constant->fingerprint;
  return canonical < codes_.size() ? code_of_input(canonical) : codes_[value];
}

Key Keys::operand_key(onnx::NodeId node, std::size_t position, Key code) const {
  const dataflow::OperatorInfo& op = side_.graph.op(node);
  return combine_hash(combine_hash(hash_of(op.name), op.traits.has(Trait::commutative) ? 0 : position), code);
}

Key Keys::base_key(const onnx::Node& node) {
  Key key = combine_hash(hash_of(node.op_type()), hash_of(node.domain() == "ai.onnx" ? "" : node.domain()));
  for (const Setting& setting : side_.settings(node.id()))
    key = combine_hash(combine_hash(key, hash_of(setting.name)), hash_of(setting.text));
  return key;
}

void Keys::read_inputs(const onnx::Node& node) {
  const bool is_commutative = side_.graph.has_trait(node.id(), Trait::commutative);
  const auto inputs = node.inputs();
  std::vector<Key> exact, loose;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == none || is_setting(node, i, side_.constants.of(inputs[i]))) continue;
    const Key position = is_commutative ? 0 : i;
    exact.push_back(combine_hash(code_of_input(inputs[i]), position));
    loose.push_back(combine_hash(code_without_views(inputs[i]), position));
  }
  const auto combine = [&](Key key, std::vector<Key>& codes) {
    if (is_commutative) std::sort(codes.begin(), codes.end());
    for (const Key code : codes) key = combine_hash(key, code);
    return key;
  };
  const Key base = base_key(node);
  exact_[node.id()] = combine(base, exact);
  keys_without_views_[node.id()] = combine(base, loose);
}

void Keys::read_body(onnx::NodeId owner, onnx::GraphId body) {
  const onnx::Graph& inner = side_.model.graphs()[body];
  ++depth_;
  for (std::size_t i = 0; i < inner.inputs.size(); ++i)
    if (inner.inputs[i] != none)
      codes_[inner.inputs[i]] = combine_hash(combine_hash(hash_of(inner.attribute), depth_), i);
  read_graph(body);
  --depth_;
  for (const onnx::ValueId value : inner.outputs) {
    const Key code = value == none ? 0 : code_of_input(value);
    exact_[owner] = combine_hash(exact_[owner], code);
    keys_without_views_[owner] = combine_hash(keys_without_views_[owner], code);
  }
}

void Keys::read_node(onnx::NodeId id) {
  const onnx::Node node = side_.model.node(id);
  read_inputs(node);
  for (const onnx::GraphId body : bodies(id)) read_body(id, body);
  const auto outputs = node.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i] != none) codes_[outputs[i]] = combine_hash(exact_[id], i);
  if (on_node_) on_node_(id);
}

KeyIndex::KeyIndex(std::vector<std::pair<Key, onnx::NodeId>> nodes) : nodes_(std::move(nodes)) {
  std::sort(nodes_.begin(), nodes_.end());
}

std::span<const std::pair<Key, onnx::NodeId>> KeyIndex::find(Key key) const {
  const auto first = std::lower_bound(nodes_.begin(), nodes_.end(), std::pair<Key, onnx::NodeId>{key, 0});
  const auto last = std::upper_bound(first, nodes_.end(), std::pair<Key, onnx::NodeId>{key, none});
  return {first, last};
}

}  // namespace thence::diff
