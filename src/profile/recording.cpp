#include "profile/recording.h"

#include <numeric>

namespace thence::profile {

std::string_view name_of(Runtime runtime) {
  switch (runtime) {
    case Runtime::onnxruntime: return "onnxruntime";
    case Runtime::openvino: return "openvino";
    case Runtime::tensorrt: return "tensorrt";
  }
  return "";
}

double Recording::kernel_microseconds() const {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0,
                         [](double sum, const Kernel& kernel) { return sum + kernel.microseconds; });
}

std::optional<double> Recording::wall_microseconds() const {
  double sum = 0;
  for (const Run& run : runs) {
    if (!run.wall_microseconds) return std::nullopt;
    sum += *run.wall_microseconds;
  }
  return runs.empty() ? std::nullopt : std::optional(sum);
}

}  // namespace thence::profile
