// Reads profiles of runtimes; the content decides the format.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "profile/onnxruntime.h"
#include "profile/recording.h"

namespace thence::profile {

struct ReadOptions {
  std::size_t skipped_runs = 0;  // the first runs of each file
  std::size_t model_nodes = 0;   // for the limit of distinct kernels
};

/// The runs of all files, which are of one runtime. A file of TensorRT's layer information describes the
/// layers of the others.
Result<Recording> read_profiles(const std::vector<std::string>& files, const ReadOptions& options);

/// Calls `use` with each kernel and run of a trace of onnxruntime, in the order of the file.
std::optional<Error> for_each_trace_event(const std::string& file,
                                          const std::function<void(const TraceEvent&)>& use);

}  // namespace thence::profile
