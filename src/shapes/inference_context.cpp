#include "shapes/inference_context.h"

#include <algorithm>

namespace thence::shapes {

Size InferenceContext::scalar(std::size_t input) const {
  const Content content = this->content(input);
  return content && content->size() == 1 ? content->front() : Size();
}

std::int64_t InferenceContext::integer(std::string_view name, std::int64_t otherwise) const {
  const auto found = attribute(name);
  return found ? found->i : otherwise;
}

std::string_view InferenceContext::text(std::string_view name) const {
  const auto found = attribute(name);
  return found ? found->s : std::string_view();
}

std::optional<std::vector<std::int64_t>> InferenceContext::integers(std::string_view name) const {
  auto found = attribute(name);
  if (!found || !found->ref_attr_name.empty() || found->ints.size() > max_content_elements)
    return std::nullopt;
  return std::move(found->ints);
}

std::optional<std::vector<std::int64_t>> InferenceContext::numbers(std::size_t input, std::string_view name,
                                                                   bool& is_given) const {
  is_given = has_input(input);
  if (!is_given) {
    is_given = attribute(name).has_value();
    return integers(name);
  }
  const Content content = this->content(input);
  if (!content) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Size size : *content) {
    if (!size.is_number()) return std::nullopt;
    numbers.push_back(size.value);
  }
  return numbers;
}

void InferenceContext::set_shape(std::size_t output, const Shape& shape) {
  if (has_output(output)) values_.set_shape(node_.outputs()[output], shape);
}

void InferenceContext::copy_shape(std::size_t output, std::size_t input) {
  if (has_output(output) && has_input(input)) values_.share_shape(node_.outputs()[output], id(input));
}

void InferenceContext::set_content(std::size_t output, const Content& content) {
  if (has_output(output)) values_.set_content(node_.outputs()[output], content);
}

void InferenceContext::set_type(std::size_t output, onnx::DataType type) {
  if (has_output(output)) values_.set_type(node_.outputs()[output], type);
}

Size InferenceContext::elements(const Shape& shape) const {
  if (!shape.known()) return {};
  Size product = 1;
  for (const Size size : shape.sizes()) product = sizes.multiply(product, size);
  return product;
}

Size InferenceContext::output_elements() const {
  return has_output(0) ? elements(values_.shape(node_.outputs()[0])) : Size();
}

Shape broadcast(const Shape& a, const Shape& b) {
  if (!a.known() || !b.known()) return {};
  Shape result = Shape::of_rank(std::max(a.rank(), b.rank()));
  for (std::size_t i = 0; i < result.rank(); ++i) {
    const Size x = i < a.rank() ? a.last(i) : Size(1);
    const Size y = i < b.rank() ? b.last(i) : Size(1);
    Size& out = result[result.rank() - 1 - i];
    if (x.is(1) || x == y) {
      out = y;
    } else if (y.is(1)) {
      out = x;
    } else if (x.is_number() != y.is_number()) {
      out = x.is_number() ? x : y;  // the other size is equal or 1
    }
  }
  return result;
}

}  // namespace thence::shapes
