// Tags: each node's answer in its own metadata, under `pkg.thence.*`, and a record of the whole in the
// model's. Nothing else in the file changes.
#pragma once

#include "base/writer.h"
#include "edit/splice.h"
#include "semantics/map.h"

namespace thence::edit {

struct TagOptions {
  std::string capture_digest;  // of the capture that the map used; empty: none
};

/// The model's file with tags in place of those it had.
Splice tagged(const semantics::Map& map, const TagOptions& options);

/// The least IR version whose nodes may hold metadata.
inline constexpr std::int64_t metadata_ir_version = 10;

}  // namespace thence::edit
