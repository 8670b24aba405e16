// A trace of onnxruntime for Chrome's tracing view and Perfetto, with modules as slices. The trace is read
// again, event by event, so its length does not matter.

#include <map>
#include <unordered_map>

#include "base/json_writer.h"
#include "output/nodes_by_module.h"
#include "output/profile_formats.h"
#include "profile/read.h"

namespace thence::output {
namespace {

using modules::ModuleId;
using modules::no_module;
using profile::JoinedProfile;
using profile::TraceEvent;

class TraceWriter {
 public:
  TraceWriter(const JoinedProfile& profile, base::Writer& out) : map_(*profile.map), out_(out) {
    for (profile::KernelId kernel = 0; kernel < profile.matches.size(); ++kernel) {
      const auto [found, is_new] = modules_.try_emplace(
          key_of(profile.recording.kernels[kernel].name, profile.recording.kernels[kernel].op_type),
          profile.matches[kernel].module);
      if (!is_new && found->second != profile.matches[kernel].module) found->second = no_module;
    }
  }

  void begin_file(std::size_t number) { process_ = number; }

  void write(const TraceEvent& event) {
    if (event.kind == TraceEvent::Kind::run) return end_run(event);
    const auto found = modules_.find(key_of(event.name, event.op_type));
    const ModuleId module = found == modules_.end() ? no_module : found->second;
    Track& track = tracks_[{process_, event.thread}];
    // The event of an If or a Loop comes after its bodies, and spans them.
    if (event.begin >= track.end) advance(track, module, event);
    write_slice(event.name, event.op_type, module, {event.thread, event.begin, event.duration});
  }

  void finish() {
    for (auto& [where, track] : tracks_) {
      process_ = where.first;
      close(track, 0, where.second);
    }
  }

 private:
  struct OpenSlice {
    ModuleId module;
    double begin;
  };
  // The modules of a thread's last kernel, from the root on, and when it ended.
  struct Track {
    std::vector<OpenSlice> open;
    double end = 0;
  };
  struct Span {
    std::uint64_t thread;
    double begin, duration;
  };

  static std::string key_of(std::string_view name, std::string_view op_type) {
    return std::string(name) + '\0' + std::string(op_type);
  }

  // Modules end with the run.
  void end_run(const TraceEvent& run) {
    for (auto& [where, track] : tracks_)
      if (where.first == process_ && track.end <= run.begin + run.duration) close(track, 0, where.second);
  }

  void advance(Track& track, ModuleId module, const TraceEvent& event) {
    std::vector<ModuleId> around;
    for (ModuleId at = module; at != no_module; at = map_.tree()[at].parent) around.push_back(at);
    std::size_t common = 0;
    while (common < track.open.size() && common < around.size() &&
           track.open[common].module == around[around.size() - 1 - common])
      ++common;
    close(track, common, event.thread);
    for (std::size_t i = common; i < around.size(); ++i)
      track.open.push_back({around[around.size() - 1 - i], event.begin});
    track.end = event.begin + event.duration;
  }

  void close(Track& track, std::size_t left, std::uint64_t thread) {
    for (; track.open.size() > left; track.open.pop_back()) {
      const auto& [module, begin] = track.open.back();
      const std::string_view name = module == modules::root ? root_label(map_) : map_.tree()[module].name();
      write_slice(name, "module", module, {module_track(thread), begin, track.end - begin});
    }
  }

  // Modules are on a track of their own, because a module may end after an If that spans it.
  static std::uint64_t module_track(std::uint64_t thread) { return thread + (std::uint64_t{1} << 40); }

  void write_slice(std::string_view name, std::string_view category, ModuleId module, const Span& span) {
    std::string& text = out_.buffer();
    text.append(is_first_ ? "\n" : ",\n");
    is_first_ = false;
    base::JsonWriter json(text);
    json.begin_object();
    json.member<"ph">("X");
    json.member<"name">(name);
    json.member<"cat">(category);
    json.member<"pid">(process_);
    json.member<"tid">(span.thread);
    json.real<"ts">(span.begin, 15);
    json.real<"dur">(span.duration, 15);
    json.begin_object<"args">();
    json.key<"module">();
    module == no_module ? json.null() : json.value(map_.tree()[module].path);
    json.end_object();
    json.end_object();
    out_.flush_if_full();
  }

  const semantics::Map& map_;
  base::Writer& out_;
  std::unordered_map<std::string, ModuleId> modules_;  // by name and operator of a kernel
  std::map<std::pair<std::size_t, std::uint64_t>, Track> tracks_;
  std::size_t process_ = 0;
  bool is_first_ = true;
};

}  // namespace

void write_chrome_trace(const JoinedProfile& profile, const std::vector<std::string>& traces,
                        base::Writer& out) {
  out.add(R"({"displayTimeUnit":"ms","traceEvents":[)");
  TraceWriter writer(profile, out);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    writer.begin_file(i);
    if (std::optional<Error> error =
            profile::for_each_trace_event(traces[i], [&](const TraceEvent& event) { writer.write(event); }))
      return out.fail(*std::move(error));
  }
  writer.finish();
  out.add("\n]}\n");
  out.flush();
}

}  // namespace thence::output
