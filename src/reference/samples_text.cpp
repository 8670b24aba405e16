#include "reference/samples_text.h"

#include <array>

#include "base/half_float.h"
#include "dataflow/constant.h"
#include "dataflow/weight_samples.h"
#include "reference/element_type.h"
#include "reference/thresholds.h"

namespace thence::reference {

std::string samples_text(std::string_view data, std::uint64_t elements, std::string_view dtype) {
  dataflow::Constant stored;
  stored.type = element_type(dtype);
  stored.data = data;
  const unsigned width = onnx::bytes_per_element(stored.type);
  if (elements < min_elements || width == 0 || data.size() != elements * width) return {};
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const double value :
       dataflow::sample_weight(elements, [&](std::uint64_t at) { return stored.element(at); })) {
    const std::uint16_t half = base::to_float16(static_cast<float>(value));
    for (int shift = 12; shift >= 0; shift -= 4) text += digits[half >> shift & 15];
  }
  return text;
}

}  // namespace thence::reference
