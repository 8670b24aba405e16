#include "profile/onnxruntime.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/format.h"
#include "profile/limits.h"

namespace thence::profile {
namespace {

constexpr std::string_view kernel_suffix = "_kernel_time";

// onnxruntime writes some numbers as text.
std::optional<double> number(base::JsonValue value) {
  if (const std::optional<double> real = value.real()) return real;
  if (const auto integer = value.integer()) return static_cast<double>(*integer);
  if (const auto natural = value.natural()) return static_cast<double>(*natural);
  const std::optional<std::string_view> text = value.text();
  if (!text) return std::nullopt;
  double parsed = 0;
  const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), parsed);
  if (failed != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return parsed;
}

Error invalid(std::string text) {
  return {ErrorKind::bad_input, "K002", std::move(text), "record the profile again"};
}

void read_arguments(base::JsonValue arguments, TraceEvent& event) {
  for (const base::JsonMember member : arguments.members()) {
    if (member.key == "op_name")
      event.op_type = member.value.text_or("");
    else if (member.key == "provider")
      event.provider = member.value.text_or("");
    else if (member.key == "node_index")
      if (const auto index = number(member.value); index && *index >= 0 && *index < no_kernel)
        event.node_index = static_cast<std::uint32_t>(*index);
  }
}

TraceEvent::Kind kind_of(std::string_view category, std::string_view name) {
  if (category == "Node" && name.ends_with(kernel_suffix)) return TraceEvent::Kind::kernel;
  if (category == "Session" && name == "model_run") return TraceEvent::Kind::run;
  return TraceEvent::Kind::other;
}

}  // namespace

bool is_trace_event(base::JsonValue item) {
  return item["cat"].text() && item["name"].text() && item["dur"].exists();
}

Result<TraceEvent> read_trace_event(base::JsonValue item) {
  if (!item.is_object()) return invalid("an event is not an object");
  const std::string_view name = item["name"].text_or("");
  TraceEvent event;
  event.kind = kind_of(item["cat"].text_or(""), name);
  if (event.kind == TraceEvent::Kind::other) return event;
  event.name =
      event.kind == TraceEvent::Kind::kernel ? name.substr(0, name.size() - kernel_suffix.size()) : name;
  const std::optional<double> begin = number(item["ts"]), duration = number(item["dur"]);
  if (!begin || !duration) return invalid("an event has no time ('ts' or 'dur')");
  if (*duration < 0) return invalid(base::format("an event has a negative duration ({})", *duration));
  if (!is_possible_time(*begin) || !is_possible_time(*duration))
    return invalid("an event has an impossible time");
  event.begin = *begin;
  event.duration = *duration;
  if (const auto thread = number(item["tid"]); thread && *thread >= 0)
    event.thread = static_cast<std::uint64_t>(std::min(*thread, 1e18));
  read_arguments(item["args"], event);
  return event;
}

TraceReader::TraceReader(RecordingBuilder& builder)
    : builder_(builder), nesting_([this](const Event& event, double exclusive, const Event* parent) {
        pass(event, exclusive, parent);
      }) {}

std::optional<Error> TraceReader::read(base::JsonValue item) {
  const Result<TraceEvent> read = read_trace_event(item);
  if (!read) return read.error();
  const TraceEvent& event = *read;
  if (event.kind == TraceEvent::Kind::run) end_run(event);
  if (event.kind != TraceEvent::Kind::kernel) return std::nullopt;
  ++builder_.recording().events;
  const KernelId kernel = builder_.kernel({.name = std::string(event.name),
                                           .op_type = std::string(event.op_type),
                                           .provider = std::string(event.provider),
                                           .node_index = event.node_index,
                                           .parent = {}});
  nesting_.add(event.thread, {kernel, event.begin, event.duration});
  return std::nullopt;
}

// Runs may overlap, each in a different thread. Kernels of a thread that ends no run were run by a pool, for
// the run that ends first.
void TraceReader::end_run(const TraceEvent& run) {
  if (std::find(run_threads_.begin(), run_threads_.end(), run.thread) == run_threads_.end() &&
      run_threads_.size() < max_threads)
    run_threads_.push_back(run.thread);
  nesting_.close_except(run_threads_, run.thread, run.begin, run.begin + run.duration);
  builder_.end_run(run.duration);
}

void TraceReader::pass(const Event& event, double exclusive, const Event* parent) {
  const bool is_full = in_body_.size() > max_extra_kernels;  // then bodies count as outside
  if (parent == nullptr || is_full) return builder_.add(event.kernel, exclusive);
  const auto [found, is_new] =
      in_body_.try_emplace(std::uint64_t{event.kernel} << 32 | parent->kernel, no_kernel);
  if (is_new) {
    Kernel inner = builder_[event.kernel];
    inner.parent = builder_[parent->kernel].name;
    inner.calls = 0;
    inner.microseconds = 0;
    found->second = builder_.kernel(inner);
  }
  builder_.add(found->second, exclusive);
}

void TraceReader::finish() {
  nesting_.close_all(0, std::numeric_limits<double>::infinity());
  builder_.end_open_run();
  builder_.recording().is_cut |= nesting_.is_cut();
}

}  // namespace thence::profile
