#include "profile/recording_builder.h"

#include <algorithm>

namespace thence::profile {
namespace {

void append_key_part(std::string& key, std::string_view part) {
  key.append(part);
  key.push_back('\0');
}

}  // namespace

KernelId RecordingBuilder::kernel(const Kernel& kernel) {
  key_.clear();
  append_key_part(key_, kernel.name);
  append_key_part(key_, kernel.op_type);
  append_key_part(key_, kernel.provider);
  append_key_part(key_, kernel.parent);
  key_.append(reinterpret_cast<const char*>(&kernel.node_index), sizeof kernel.node_index);
  if (const auto found = by_key_.find(key_); found != by_key_.end()) return found->second;
  if (recording_.kernels.size() >= max_kernels_ && !kernel.name.empty()) {
    recording_.is_cut = true;
    return this->kernel(Kernel{});  // the shared row
  }
  const auto number = static_cast<KernelId>(recording_.kernels.size());
  by_key_.emplace(key_, number);
  recording_.kernels.push_back(kernel);
  sums_.emplace_back();
  return number;
}

void RecordingBuilder::add(KernelId kernel, double microseconds, std::uint64_t calls) {
  Sum& sum = sums_[kernel];
  if (sum.calls == 0) touched_.push_back(kernel);
  sum.microseconds += microseconds;
  sum.calls += calls;
}

void RecordingBuilder::end_run(std::optional<double> wall_microseconds) {
  const bool is_kept = runs_to_skip_ == 0 && (!touched_.empty() || wall_microseconds);
  if (runs_to_skip_ > 0) --runs_to_skip_;
  const auto run = static_cast<std::uint32_t>(recording_.runs.size());
  if (is_kept) recording_.runs.push_back({wall_microseconds});
  for (const KernelId kernel : touched_) {
    Sum& sum = sums_[kernel];
    if (is_kept) {
      recording_.kernels[kernel].calls += sum.calls;
      recording_.kernels[kernel].microseconds += sum.microseconds;
      recording_.samples.push_back({kernel, run, static_cast<float>(sum.microseconds)});
    }
    sum = {};
  }
  touched_.clear();
}

void RecordingBuilder::end_open_run() {
  if (!touched_.empty()) end_run(std::nullopt);
}

// Bodies are interned before their parent is known, and skipped runs leave kernels behind.
void RecordingBuilder::drop_unused_kernels() {
  std::vector<KernelId> renumbered(recording_.kernels.size(), no_kernel);
  KernelId count = 0;
  for (KernelId old = 0; old < recording_.kernels.size(); ++old) {
    if (recording_.kernels[old].calls == 0) continue;
    renumbered[old] = count;
    if (old != count) recording_.kernels[count] = std::move(recording_.kernels[old]);
    ++count;
  }
  recording_.kernels.resize(count);
  for (Sample& sample : recording_.samples) sample.kernel = renumbered[sample.kernel];
}

Recording RecordingBuilder::finish() && {
  drop_unused_kernels();
  std::sort(recording_.samples.begin(), recording_.samples.end(), [](const Sample& a, const Sample& b) {
    return a.kernel != b.kernel ? a.kernel < b.kernel : a.run < b.run;
  });
  return std::move(recording_);
}

}  // namespace thence::profile
