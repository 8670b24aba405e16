#include "transfer/value_names.h"

#include <algorithm>

#include "hierarchy/derived_names.h"

namespace thence::transfer {
namespace {

template <class Use>
void each_named_output(const onnx::Model& model, const Use& use) {
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    for (const onnx::ValueId value : model.node(id).outputs())
      if (value != none && !model.value_name(value).empty()) use(value);
}

}  // namespace

ValueNames::ValueNames(const onnx::Model& ancestor, const onnx::Model& descendant)
    : ancestor_(ancestor),
      descendant_(descendant),
      is_ambiguous_(ancestor.value_count(), false),
      same_name_(descendant.value_count(), none) {
  each_named_output(ancestor, [&](onnx::ValueId value) {
    const std::uint32_t other =
        values_.find_or_add(name_of(value), value, [this](std::uint32_t each) { return name_of(each); });
    if (other != value) is_ambiguous_[other] = true;
  });
  each_named_output(descendant,
                    [&](onnx::ValueId value) { same_name_[value] = find(descendant.value_name(value)); });
}

void ValueNames::forget() {
  values_ = base::TextIndex();
  std::fill(same_name_.begin(), same_name_.end(), none);
}

onnx::ValueId ValueNames::find(std::string_view name) const {
  const std::uint32_t found = values_.find(name, [this](std::uint32_t each) { return name_of(each); });
  return found == base::TextIndex::not_found || is_ambiguous_[found] ? none : found;
}

onnx::ValueId ValueNames::value_of_same_or_derived_name(onnx::ValueId ours) const {
  if (same_name_[ours] != none) return same_name_[ours];
  const std::string_view name = descendant_.value_name(ours);
  const std::string_view before = hierarchy::DerivedNames::shipped().original_value(name);
  return before == name ? none : find(before);
}

onnx::NodeId ValueNames::producer_of_same_name(onnx::ValueId ours) const {
  if (same_name_[ours] == none) return none;
  const onnx::Producer producer = ancestor_.producer(same_name_[ours]);
  const bool is_first_output = producer.kind == onnx::Producer::Kind::node &&
                               ancestor_.node(producer.index).outputs()[0] == same_name_[ours];
  return is_first_output ? producer.index : none;
}

}  // namespace thence::transfer
