#include "shapes/call.h"

#include <algorithm>

namespace thence::shapes {

Size Call::scalar(std::size_t input) const {
  const Content content = this->content(input);
  return content && content->size() == 1 ? content->front() : Size();
}

std::int64_t Call::integer(std::string_view name, std::int64_t otherwise) const {
  const auto found = attribute(name);
  return found ? found->i : otherwise;
}

std::string_view Call::text(std::string_view name) const {
  const auto found = attribute(name);
  return found ? found->s : std::string_view();
}

std::optional<std::vector<std::int64_t>> Call::integers(std::string_view name) const {
  auto found = attribute(name);
  if (!found || !found->ref_attr_name.empty() || found->ints.size() > most_content) return std::nullopt;
  return std::move(found->ints);
}

std::optional<std::vector<std::int64_t>> Call::numbers(std::size_t input, std::string_view name,
                                                       bool& given) const {
  given = has(input);
  if (!given) {
    given = attribute(name).has_value();
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

void Call::give(std::size_t output, const Shape& shape) {
  if (wanted(output)) values_.set_shape(node_.outputs()[output], shape);
}

void Call::give_like(std::size_t output, std::size_t input) {
  if (wanted(output) && has(input)) values_.share_shape(node_.outputs()[output], id(input));
}

void Call::give_content(std::size_t output, const Content& content) {
  if (wanted(output)) values_.set_content(node_.outputs()[output], content);
}

void Call::give_type(std::size_t output, onnx::DataType type) {
  if (wanted(output)) values_.set_type(node_.outputs()[output], type);
}

Size Call::elements(const Shape& shape) const {
  if (!shape.known()) return {};
  Size product = 1;
  for (const Size size : shape.sizes()) product = sizes.multiply(product, size);
  return product;
}

Size Call::output_elements() const {
  return wanted(0) ? elements(values_.shape(node_.outputs()[0])) : Size();
}

Shape broadcast(const Shape& a, const Shape& b) {
  if (!a.known() || !b.known()) return {};
  Shape made = Shape::of_rank(std::max(a.rank(), b.rank()));
  for (std::size_t i = 0; i < made.rank(); ++i) {
    const Size x = i < a.rank() ? a.last(i) : Size(1);
    const Size y = i < b.rank() ? b.last(i) : Size(1);
    Size& out = made[made.rank() - 1 - i];
    if (x.is(1) || x == y) {
      out = y;
    } else if (y.is(1)) {
      out = x;
    } else if (x.is_number() != y.is_number()) {
      out = x.is_number() ? x : y;  // the other size is equal or 1
    }
  }
  return made;
}

}  // namespace thence::shapes
