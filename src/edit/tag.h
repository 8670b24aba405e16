// Tags: each node's answer in its own metadata, under `pkg.thence.*`, and a record of the whole in the
// model's. Nothing else in the file changes.
#pragma once

#include "base/writer.h"
#include "edit/rewrite.h"
#include "edit/splice.h"
#include "semantics/map.h"

namespace thence::edit {

struct TagOptions {
  std::string capture_digest;   // of the capture that the map used; empty: none
  bool with_namespace = false;  // also the key `namespace`, as PyTorch writes it, for nodes that have none
  bool strip_stack_traces = false;  // take out where in whose source a node was made; for good
  unsigned jobs = 1;                // threads
};

/// What a tag says of a module: its path, class, tag and role.
void add_module(const semantics::Map& map, modules::ModuleId module, const semantics::ModuleFacts& facts,
                Entries& entries);

/// The model's file with tags in place of those it had.
Splice tagged(const semantics::Map& map, const TagOptions& options);

}  // namespace thence::edit
