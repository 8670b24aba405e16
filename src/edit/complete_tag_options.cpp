#include "base/mapped_file.h"
#include "edit/tag.h"
#include "onnx/content_hash.h"
#include "weights/trace.h"

namespace thence::edit {
namespace {

Result<std::string> digest_of(const std::string& capture) {
  if (capture.empty()) return std::string();
  const Result<base::MappedFile> file = base::MappedFile::open(capture);
  if (!file) return file.error();
  return onnx::format_hash(onnx::hash_content(file->bytes(), 1).exact);
}

}  // namespace

Result<TagOptions> complete_tag_options(TagOptions options, const semantics::Map& map,
                                        const std::string& capture) {
  Result<std::string> digest = digest_of(capture);
  if (!digest) return digest.error();
  options.capture_digest = *std::move(digest);
  if (options.weights.live == nullptr && map.own_tree().has_registration_order())
    options.weights = {map.hierarchy().live_parameters(), weights::trace_weights(map)};
  return options;
}

}  // namespace thence::edit
