#include "base/mapped_file.h"
#include "edit/tag.h"
#include "onnx/content_hash.h"
#include "weights/trace.h"

namespace thence::edit {
namespace {

// A capture that cannot be read any more has no digest; the map was made from it, so this is rare.
std::string digest_of(const std::string& capture) {
  if (capture.empty()) return {};
  const Result<base::MappedFile> file = base::MappedFile::open(capture);
  return file ? onnx::format_hash(onnx::hash_content(file->bytes(), 1).exact) : std::string();
}

}  // namespace

TagOptions complete_tag_options(TagOptions options, const semantics::Map& map, const std::string& capture) {
  options.capture_digest = digest_of(capture);
  if (options.weights.live == nullptr && map.own_tree().has_registration_order())
    options.weights = {map.hierarchy().live_parameters(), weights::trace_weights(map)};
  return options;
}

}  // namespace thence::edit
