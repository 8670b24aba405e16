#include "transfer/result_names.h"

namespace thence::transfer {

ResultNames::ResultNames(const Net& ancestor)
    : ancestor_(ancestor.model()), several_(ancestor.model().node_count(), false) {
  for (onnx::NodeId id = 0; id < ancestor_.node_count(); ++id) {
    if (name_of(id).empty()) continue;
    const std::uint32_t same = nodes_.find(name_of(id), [this](std::uint32_t node) { return name_of(node); });
    if (same == base::TextIndex::nothing)
      nodes_.add(name_of(id), id);
    else
      several_[same] = true;
  }
}

std::string_view ResultNames::name_of(onnx::NodeId node) const {
  const auto outputs = ancestor_.node(node).outputs();
  return outputs.empty() || outputs[0] == none ? std::string_view() : ancestor_.value_name(outputs[0]);
}

onnx::NodeId ResultNames::find(std::string_view value) const {
  const std::uint32_t found = nodes_.find(value, [this](std::uint32_t node) { return name_of(node); });
  return found == base::TextIndex::nothing || several_[found] ? none : found;
}

}  // namespace thence::transfer
