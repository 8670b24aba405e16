#include "serve/weight_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.h"
#include "base/json_writer.h"
#include "diff/elements.h"
#include "onnx/errors.h"
#include "serve/limits.h"
#include "serve/summaries.h"

namespace thence::serve {
namespace {

using base::JsonWriter;

constexpr std::size_t histogram_bins = 40;

struct Statistics {
  std::uint64_t counted = 0, zeros = 0, finite = 0;
  double min = 0, max = 0, mean = 0, deviation = 0;
  std::array<std::uint64_t, histogram_bins> histogram{};
};

// Calls `use` with the elements to count. At most max_counted_elements, equally spaced.
template <class Use>
void for_each_counted(const diff::Elements& elements, const Use& use) {
  const std::uint64_t step =
      std::max<std::uint64_t>(1, (elements.size() + max_counted_elements - 1) / max_counted_elements);
  for (std::uint64_t i = 0; i < elements.size(); i += step) use(elements[i]);
}

Statistics count(const diff::Elements& elements) {
  Statistics found;
  double squares = 0;
  for_each_counted(elements, [&](double number) {
    ++found.counted;
    found.zeros += number == 0;
    if (!std::isfinite(number)) return;
    found.min = found.finite == 0 ? number : std::min(found.min, number);
    found.max = found.finite == 0 ? number : std::max(found.max, number);
    const double before = number - found.mean;  // the algorithm of Welford
    found.mean += before / static_cast<double>(++found.finite);
    squares += before * (number - found.mean);
  });
  if (found.finite > 0) found.deviation = std::sqrt(squares / static_cast<double>(found.finite));
  const double width = found.max - found.min;
  for_each_counted(elements, [&](double number) {
    if (!std::isfinite(number)) return;
    const double part = width > 0 ? (number - found.min) / width : 0;
    ++found.histogram[std::min(histogram_bins - 1, static_cast<std::size_t>(part * histogram_bins))];
  });
  return found;
}

template <base::JsonKey name>
void write_number(double number, bool exists, JsonWriter& json) {
  exists&& std::isfinite(number) ? json.real<name>(number, 9) : json.null<name>();
}

Error unreadable(std::string_view value, std::string_view problem) {
  return {ErrorKind::usage, "V007",
          base::format("the numbers of '{}' cannot be shown: {}", cut_text(value, max_label_bytes), problem),
          ""};
}

}  // namespace

Result<std::string> weight_statistics(const onnx::Model& model, onnx::NodeId node, std::size_t input) {
  const auto inputs = model.node(node).inputs();
  if (input >= inputs.size() || inputs[input] == onnx::none)
    return Error{ErrorKind::usage, "V001", base::format("the node has no input {}", input),
                 "reload the page"};
  const std::string_view name = model.value_name(inputs[input]);
  if (const std::optional<Error> error = onnx::invalid_external_data(model)) return *error;
  diff::Constants constants(model);
  const diff::Tensor* const tensor = constants.of(inputs[input]);
  if (tensor == nullptr) return unreadable(name, "it is not a constant");
  const std::optional<diff::Elements> elements = diff::Elements::of(*tensor);
  if (!elements)
    return unreadable(name, tensor->is_read
                                ? base::format("its type is {}", onnx::data_type_name(tensor->type))
                                : "its data is missing or damaged");
  const Statistics found = count(*elements);
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member<"name">(cut_text(name, max_label_bytes));
  json.member<"type">(onnx::data_type_name(tensor->type));
  json.array<"shape">(tensor->dims);
  json.member<"elements">(tensor->elements);
  json.member<"counted">(found.counted);
  json.member<"zeros">(found.zeros);
  json.member<"not_finite">(found.counted - found.finite);
  write_number<"min">(found.min, found.finite > 0, json);
  write_number<"max">(found.max, found.finite > 0, json);
  write_number<"mean">(found.mean, found.finite > 0, json);
  write_number<"deviation">(found.deviation, found.finite > 0, json);
  json.array<"histogram">(found.histogram);
  json.end_object();
  return text;
}

}  // namespace thence::serve
