// Traces of onnxruntime: a JSON array of events, in the order in which they end.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "profile/nesting.h"
#include "profile/recording_builder.h"

namespace thence::profile {

/// An event of a trace. Its texts are valid as long as the item that it was read from.
struct TraceEvent {
  enum class Kind { kernel, run, other };
  Kind kind = Kind::other;
  std::string_view name;  // of the node
  std::string_view op_type, provider;
  std::uint32_t node_index = no_kernel;
  std::uint64_t thread = 0;
  double begin = 0, duration = 0;
};

/// Whether an item looks like an event of a trace.
bool is_trace_event(base::JsonValue item);
/// The text of the error has no place.
Result<TraceEvent> read_trace_event(base::JsonValue item);

/// Reads the events of a trace one by one.
class TraceReader {
 public:
  explicit TraceReader(RecordingBuilder& builder);

  std::optional<Error> read(base::JsonValue item);
  void finish();

 private:
  void end_run(const TraceEvent& run);
  void pass(const Event& event, double exclusive, const Event* parent);

  RecordingBuilder& builder_;
  Nesting nesting_;
  std::unordered_map<std::uint64_t, KernelId> in_body_;  // by the numbers of a kernel and its parent
  std::vector<std::uint64_t> run_threads_;               // threads that end runs
};

}  // namespace thence::profile
