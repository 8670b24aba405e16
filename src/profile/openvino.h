// Profiles of OpenVINO: the execution graph as XML, or the profiling information of a request as JSON.
#pragma once

#include <optional>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "profile/recording_builder.h"

namespace thence::profile {

/// Reads the execution graph, as `openvino.serialize(compiled.get_runtime_model(), ...)` writes it: its times
/// are averages over the requests.
std::optional<Error> read_execution_graph(std::string_view xml, RecordingBuilder& builder);

/// Whether an item looks like an entry of `request.profiling_info`.
bool is_profiling_entry(base::JsonValue item);
/// Reads one entry; the run ends with the file.
std::optional<Error> read_profiling_entry(base::JsonValue item, RecordingBuilder& builder);

}  // namespace thence::profile
