// Tags: writes the answer for each node into its metadata, under `pkg.thence.*`, and a record into the
// metadata of the model. Nothing else in the file changes.
#pragma once

#include "base/writer.h"
#include "edit/model_record.h"
#include "edit/rewrite.h"
#include "semantics/map.h"
#include "wire/splice.h"

namespace thence::edit {

struct TagOptions {
  std::string capture_digest;       // of the capture that the map used; empty for none
  TracedWeights weights;            // to be recorded, if there is a capture
  bool with_namespace = false;      // also write the key `namespace`, as PyTorch does, for nodes without one
  bool strip_stack_traces = false;  // remove stack traces permanently
  unsigned jobs = 1;                // threads
};

/// Adds the digest of the capture file that the map was made with (empty: none) and, unless they are given,
/// the traced weights. Fails if the capture cannot be read any more.
Result<TagOptions> complete_tag_options(TagOptions options, const semantics::Map& map,
                                        const std::string& capture);

/// Adds the entries for a module: its path, class, tag and role.
void add_module(const semantics::Map& map, modules::ModuleId module, const semantics::ModuleFacts& facts,
                Entries& entries);

/// The model file with new tags, which replace existing ones.
wire::Splice tag_model(const semantics::Map& map, const TagOptions& options);

}  // namespace thence::edit
