#include "transfer/view_names.h"

namespace thence::transfer {

ViewNames::ViewNames(const Net& ancestor)
    : ancestor_(ancestor.model()), several_(ancestor.model().node_count(), false) {
  for (onnx::NodeId id = 0; id < ancestor_.node_count(); ++id) {
    if (!ancestor.is_view(id) || ancestor.is_constant(id) || name_of(id).empty()) continue;
    const std::uint32_t same = views_.find(name_of(id), [this](std::uint32_t view) { return name_of(view); });
    if (same == base::TextIndex::nothing)
      views_.add(name_of(id), id);
    else
      several_[same] = true;
  }
}

std::string_view ViewNames::name_of(onnx::NodeId view) const {
  return ancestor_.value_name(ancestor_.node(view).outputs()[0]);
}

onnx::NodeId ViewNames::find(std::string_view value) const {
  const std::uint32_t found = views_.find(value, [this](std::uint32_t view) { return name_of(view); });
  return found == base::TextIndex::nothing || several_[found] ? none : found;
}

}  // namespace thence::transfer
