#include "dataflow/weight_samples.h"

#include <algorithm>

namespace thence::dataflow {

double correlation(std::span<const double> a, std::span<const double> b) {
  double count = 0, mean_a = 0, mean_b = 0;
  const auto each_pair = [&](auto use) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      if (std::isfinite(a[i]) && std::isfinite(b[i])) use(a[i], b[i]);
  };
  each_pair([&](double x, double y) { ++count, mean_a += x, mean_b += y; });
  if (count < min_compared_samples) return 0;
  mean_a /= count, mean_b /= count;
  double aa = 0, bb = 0, ab = 0;
  each_pair([&](double x, double y) {
    aa += (x - mean_a) * (x - mean_a), bb += (y - mean_b) * (y - mean_b), ab += (x - mean_a) * (y - mean_b);
  });
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

}  // namespace thence::dataflow
