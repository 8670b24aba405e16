// pipeline: from a model file to its Map. Open the model, build the hierarchy, collect evidence, resolve it,
// and describe the answers.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "semantics/map.h"
#include "transfer/claims.h"

namespace thence::pipeline {

Result<semantics::Map> map_file(const std::string& path, const semantics::MapOptions& options);

/// The bytes outlive the map. Messages call them `label`.
Result<semantics::Map> map_bytes(std::string_view bytes, const std::string& label,
                                 const semantics::MapOptions& options);

/// Maps a model that was derived from another by the answers of that one, which outlive the map. An error if
/// they have too little in common. A verifier takes back matches that the numbers refute.
Result<semantics::Map> map_derived(const semantics::Map& ancestor, const std::string& path,
                                   const semantics::MapOptions& options,
                                   const transfer::Verifier& verifier = {});
/// The same for a model in memory. The bytes outlive the map.
Result<semantics::Map> map_derived_bytes(const semantics::Map& ancestor, std::string_view bytes,
                                         const std::string& label, const semantics::MapOptions& options,
                                         const transfer::Verifier& verifier = {});

}  // namespace thence::pipeline
