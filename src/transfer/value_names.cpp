#include "transfer/value_names.h"

#include "hierarchy/derived_names.h"

namespace thence::transfer {
namespace {

template <class Use>
void each_written(const onnx::Model& model, const Use& use) {
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    for (const onnx::ValueId value : model.node(id).outputs())
      if (value != none && !model.value_name(value).empty()) use(value);
}

}  // namespace

ValueNames::ValueNames(const onnx::Model& ancestor, const onnx::Model& descendant)
    : ancestor_(ancestor),
      descendant_(descendant),
      ambiguous_(ancestor.value_count(), false),
      same_(descendant.value_count(), none) {
  each_written(ancestor, [&](onnx::ValueId value) {
    const std::uint32_t other =
        values_.find_or_add(name_of(value), value, [this](std::uint32_t each) { return name_of(each); });
    if (other != value) ambiguous_[other] = true;
  });
  each_written(descendant, [&](onnx::ValueId value) { same_[value] = find(descendant.value_name(value)); });
}

onnx::ValueId ValueNames::find(std::string_view name) const {
  const std::uint32_t found = values_.find(name, [this](std::uint32_t each) { return name_of(each); });
  return found == base::TextIndex::not_found || ambiguous_[found] ? none : found;
}

onnx::ValueId ValueNames::same_or_derived(onnx::ValueId ours) const {
  if (same_[ours] != none) return same_[ours];
  const std::string_view name = descendant_.value_name(ours);
  const std::string_view before = hierarchy::DerivedNames::shipped().original_value(name);
  return before == name ? none : find(before);
}

onnx::NodeId ValueNames::writer(onnx::ValueId ours) const {
  if (same_[ours] == none) return none;
  const onnx::Producer producer = ancestor_.producer(same_[ours]);
  const bool first = producer.kind == onnx::Producer::Kind::node &&
                     ancestor_.node(producer.index).outputs()[0] == same_[ours];
  return first ? producer.index : none;
}

}  // namespace thence::transfer
