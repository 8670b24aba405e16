// RecordingBuilder: readers of profiles push kernels and runs into it.
#pragma once

#include <unordered_map>

#include "profile/recording.h"

namespace thence::profile {

class RecordingBuilder {
 public:
  /// `max_kernels`: distinct kernels that are kept apart.
  explicit RecordingBuilder(std::size_t max_kernels) : max_kernels_(max_kernels) {}

  /// The number of a kernel with these fields; its times are added later.
  KernelId kernel(const Kernel& kernel);
  const Kernel& operator[](KernelId kernel) const { return recording_.kernels[kernel]; }

  /// Adds exclusive time of a kernel to the run that is being read.
  void add(KernelId kernel, double microseconds, std::uint64_t calls = 1);
  /// Ends the run. One without kernels is dropped, unless it has a time.
  void end_run(std::optional<double> wall_microseconds);
  /// Ends the run only if it has kernels.
  void end_open_run();
  bool has_open_run() const { return !touched_.empty(); }

  /// The first runs of each file after `begin_file` are not recorded.
  void begin_file(std::size_t skipped_runs) { runs_to_skip_ = skipped_runs; }

  Recording& recording() { return recording_; }
  /// Sorts the samples by kernel and returns everything.
  Recording finish() &&;

 private:
  struct Sum {
    double microseconds = 0;
    std::uint64_t calls = 0;
  };
  void drop_unused_kernels();

  std::size_t max_kernels_;
  Recording recording_;
  std::unordered_map<std::string, KernelId> by_key_;
  std::string key_;
  std::vector<Sum> sums_;          // of the run that is being read, by kernel
  std::vector<KernelId> touched_;  // kernels of that run
  std::size_t runs_to_skip_ = 0;
};

}  // namespace thence::profile
