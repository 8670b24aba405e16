#include "output/tally.h"

#include <algorithm>
#include <map>

#include "output/limits.h"
#include "weights/trace.h"

namespace thence::output {

using modules::ModuleId;
using modules::no_module;

namespace {

// A file may declare any number of elements, so the sum saturates.
void add_to(std::uint64_t& sum, std::uint64_t more) {
  if (__builtin_add_overflow(sum, more, &sum)) sum = ~std::uint64_t{0};
}

void add_node(onnx::NodeId id, float confidence, Tally& tally) {
  ++tally.own_nodes;
  ++tally.nodes;
  tally.confidence += confidence;
  tally.first_node = std::min(tally.first_node, id);
}

void add_work(const shapes::InferredShapes& inferred, onnx::NodeId id, Tally& tally) {
  const shapes::Work& work = inferred.work[id];
  if (!work.macs.known() || !tally.own_macs.add(inferred.sizes.polynomial(work.macs))) ++tally.uncounted;
  if (!work.elementwise.known() || !tally.elementwise.add(inferred.sizes.polynomial(work.elementwise)))
    tally.elementwise_known = false;
}

void add_share(const weights::Share& share, Tally& tally) {
  switch (share.counted_as) {
    case weights::CountedAs::parameter: return add_to(tally.parameters, share.elements);
    case weights::CountedAs::buffer: return add_to(tally.buffers, share.elements);
    case weights::CountedAs::constant: return add_to(tally.constants, share.elements);
  }
}

void add_storage(const onnx::TensorView& tensor, Tally& tally) {
  add_to(tally.bytes, tensor.bytes().value_or(0));
  if (tensor.data_type > onnx::DataType::undefined && static_cast<unsigned>(tensor.data_type) < max_types)
    tally.types |= std::uint64_t{1} << static_cast<unsigned>(tensor.data_type);
}

// Whether what tracing allocates is small beside the model.
bool may_trace_weights(const onnx::Model& model) {
  std::size_t bytes = 0;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) bytes += model.node(id).bytes().size();
  return model.node_count() * traced_bytes_per_node + model.initializers().size() * traced_bytes_per_weight <=
         bytes + max_traced_bytes;
}

// Without names, each tensor of several numbers is a parameter.
void add_untraced(const onnx::TensorView& tensor, Tally& tally) {
  add_storage(tensor, tally);
  const std::uint64_t elements = tensor.elements().value_or(0);
  add_to(onnx::is_float(tensor.data_type) && elements > 1 ? tally.parameters : tally.constants, elements);
}

std::vector<Uncounted> list_uncounted(const onnx::Model& model, const shapes::InferredShapes& inferred) {
  std::map<std::pair<std::string, bool>, std::uint64_t> counts;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const bool is_unknown = inferred.is_unknown_operator[id];
    if (!is_unknown && inferred.work[id].macs.known()) continue;
    const std::string_view domain = model.node(id).domain();
    std::string op = domain.empty() ? std::string() : std::string(domain) + "::";
    ++counts[{op.append(model.node(id).op_type()), is_unknown}];
  }
  std::vector<Uncounted> listed;
  for (const auto& [key, nodes] : counts) listed.push_back({key.first, nodes, key.second});
  return listed;
}

}  // namespace

void Tally::include(const Tally& inner) {
  nodes += inner.nodes;
  add_to(parameters, inner.parameters);
  add_to(buffers, inner.buffers);
  add_to(constants, inner.constants);
  add_to(bytes, inner.bytes);
  types |= inner.types;
  if (!macs.add(inner.macs)) uncounted += inner.nodes;  // exceeds 64 bits
  uncounted += inner.uncounted;
  elementwise_known = elementwise.add(inner.elementwise) && elementwise_known && inner.elementwise_known;
  confidence += inner.confidence;
  first_node = std::min(first_node, inner.first_node);
}

Tallies tally(const semantics::Map& map, const shapes::InferredShapes& inferred) {
  const modules::ModuleTree& tree = map.tree();
  Tallies made;
  made.modules.resize(tree.size());
  const auto of = [&](ModuleId module) -> Tally& {
    return module == no_module ? made.unknown : made.modules[module];
  };
  for (onnx::NodeId id = 0; id < map.model().node_count(); ++id) {
    const resolve::Attribution& answer = map.answer(id);
    add_node(id, answer.confidence, of(answer.module));
    add_work(inferred, id, of(answer.computing_module()));
  }
  if (may_trace_weights(map.model())) {
    const std::vector<weights::Weight> weights = weights::trace_weights(map);
    for (std::size_t i = 0; i < weights.size(); ++i)
      add_storage(map.model().tensor(map.model().initializers()[i]), of(weights[i].module));
    made.account = weights::account_for_parameters(map, weights);
    for (const weights::Share& share : made.account.shares) add_share(share, of(share.module));
  } else {
    const std::vector<ModuleId> owners = map.initializer_owners();
    for (std::size_t i = 0; i < owners.size(); ++i)
      add_untraced(map.model().tensor(map.model().initializers()[i]), of(owners[i]));
  }
  made.uncounted = list_uncounted(map.model(), inferred);
  for (Tally& one : made.modules) one.macs = one.own_macs;
  made.unknown.macs = made.unknown.own_macs;
  for (auto id = static_cast<ModuleId>(tree.size() - 1); id != modules::root; --id)
    made.modules[tree[id].parent].include(made.modules[id]);  // added before its children
  made.total = made.modules[modules::root];
  made.total.include(made.unknown);
  made.total.own_nodes = made.total.nodes;
  made.total.own_macs = made.total.macs;
  return made;
}

std::string type_names(std::uint64_t types) {
  std::string names;
  for (unsigned i = 0; i < max_types; ++i)
    if ((types >> i & 1) != 0)
      names += (names.empty() ? "" : ",") + onnx::data_type_name(static_cast<onnx::DataType>(i));
  return names;
}

double plain_value(const shapes::Polynomial& polynomial) {
  auto value = static_cast<double>(polynomial.number());
  for (const shapes::Term& term : polynomial.terms()) value += static_cast<double>(term.factor);
  return std::max(value, 0.0);
}

}  // namespace thence::output
