// Recording: the kernels that a runtime ran, and their times, before they are joined with a model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thence::profile {

using KernelId = std::uint32_t;
inline constexpr std::uint32_t no_kernel = 0xffffffff;

enum class Runtime : std::uint8_t { onnxruntime, openvino, tensorrt };
std::string_view name_of(Runtime runtime);

/// One operation of the runtime, identified by all of these fields.
struct Kernel {
  std::string name;     // as the runtime prints it
  std::string op_type;  // of the runtime, which may differ from the node's
  std::string provider;
  std::uint32_t node_index = no_kernel;  // in the runtime's graph, if the profile has it
  std::string parent;                    // the kernel whose body it is in; empty: none
  std::vector<std::string>
      node_names{};  // nodes that the runtime says it was made from; empty: only its name
  std::uint64_t calls = 0;
  double microseconds = 0;  // exclusive, over all runs
};

/// The exclusive time of a kernel in one run.
struct Sample {
  KernelId kernel = 0;
  std::uint32_t run = 0;
  float microseconds = 0;
};

struct Run {
  std::optional<double> wall_microseconds;  // empty if the profile does not have it
};

struct Recording {
  Runtime runtime = Runtime::onnxruntime;
  std::vector<Kernel> kernels;
  std::vector<Run> runs;
  std::vector<Sample> samples;      // by kernel after sort_samples()
  std::uint64_t averaged_runs = 0;  // runs behind the numbers of a profile that only has averages; 0: none
  std::uint64_t events = 0;
  bool is_cut = false;  // has more kernels or nested events than the limits

  double kernel_microseconds() const;
  /// The sum over runs; empty if a run has none.
  std::optional<double> wall_microseconds() const;
};

}  // namespace thence::profile
