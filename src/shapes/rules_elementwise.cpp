// Operators that work element by element, with broadcasting, and arithmetic on the contents of small tensors,
// with which exporters compute shapes.
#include <algorithm>

#include "shapes/shape_rules.h"

namespace thence::shapes {
namespace {

Size boolean(std::optional<bool> value) { return value ? Size(*value ? 1 : 0) : Size(); }

// Sizes are never negative, so an expression can be known to differ from a number.
std::optional<bool> equal(const Sizes& sizes, Size a, Size b) {
  if (!a.known() || !b.known()) return std::nullopt;
  if (a == b) return true;
  if (a.is_number() && b.is_number()) return false;
  const Size number = a.is_number() ? a : b;
  if (number.is_number() && number.value < 0 && sizes.is_nonnegative(a.is_number() ? b : a)) return false;
  return std::nullopt;
}

Size divide_elements(InferenceContext& context, Size a, Size b) {
  Sizes& sizes = context.sizes;
  const bool rounds_down = !onnx::is_float(context.type(0)) && sizes.is_nonnegative(a);
  return rounds_down ? sizes.floor_divide(a, b) : sizes.divide(a, b);
}

Size evaluate(std::string_view op, std::int64_t a, std::int64_t b) {
  if (op == "Max") return std::max(a, b);
  if (op == "Min") return std::min(a, b);
  if (op == "Mod" && a >= 0 && b > 0) return a % b;
  if (op == "Greater") return boolean(a > b);
  if (op == "Less") return boolean(a < b);
  if (op == "GreaterOrEqual") return boolean(a >= b);
  if (op == "LessOrEqual") return boolean(a <= b);
  if (op == "And") return boolean(a != 0 && b != 0);
  if (op == "Or") return boolean(a != 0 || b != 0);
  return {};
}

Size evaluate(InferenceContext& context, std::string_view op, Size a, Size b) {
  Sizes& sizes = context.sizes;
  if (op == "Add" || op == "Sum") return sizes.add(a, b);
  if (op == "Sub") return sizes.subtract(a, b);
  if (op == "Mul") return sizes.multiply(a, b);
  if (op == "Div") return divide_elements(context, a, b);
  if (op == "Equal") return boolean(equal(sizes, a, b));
  if (a.is_number() && b.is_number()) return evaluate(op, a.value, b.value);
  return a == b && (op == "Max" || op == "Min") ? a : Size();
}

// The element at a position after broadcasting. Contents are lists, so only a single number is ever repeated.
Size element(const std::vector<Size>& content, std::size_t at) {
  return content.size() == 1 ? content.front() : content[at];
}

std::optional<std::size_t> common_length(std::initializer_list<std::size_t> lengths) {
  std::size_t most = 1;
  for (const std::size_t length : lengths)
    if (length != 1) most = length;
  for (const std::size_t length : lengths)
    if (length != 1 && length != most) return std::nullopt;
  return most;
}

// A list has one dimension, a number none. Tensors with more dimensions are not shapes.
bool is_list(const Shape& shape) { return shape.known() && shape.rank() <= 1; }

}  // namespace

void same_shape(InferenceContext& context) { context.copy_shape(0, 0); }

void same_shape_all_outputs(InferenceContext& context) {
  for (std::size_t i = 0; i < context.output_count(); ++i) context.copy_shape(i, 0);
}

void identity(InferenceContext& context) {
  context.copy_shape(0, 0);
  context.set_content(0, context.content(0));
}

namespace {

void set_boolean_content(InferenceContext& context, std::int64_t if_zero) {
  Content content = context.content(0);
  if (content)
    for (Size& size : *content)
      size = size.is_number() ? Size(size.value == 0 ? if_zero : 1 - if_zero) : Size();
  context.set_content(0, content);
}

}  // namespace

void cast(InferenceContext& context) {
  identity(context);
  if (static_cast<onnx::DataType>(context.integer("to", 0)) == onnx::DataType::boolean)
    set_boolean_content(context, 0);
}

void logical_not(InferenceContext& context) {
  context.copy_shape(0, 0);
  set_boolean_content(context, 1);
}

void broadcast_all(InferenceContext& context) {
  bool all_same = true;
  for (std::size_t i = 1; i < context.input_count() && all_same; ++i)
    all_same = context.have_same_shape(0, i);
  if (all_same) return context.copy_shape(0, 0);
  Shape result = context.shape(0);
  for (std::size_t i = 1; i < context.input_count() && result.known(); ++i)
    result = broadcast(result, context.shape(i));
  context.set_shape(0, result);
}

void arithmetic(InferenceContext& context) {
  broadcast_all(context);
  if (context.input_count() != 2) {
    if (context.input_count() == 1) context.set_content(0, context.content(0));
    return;
  }
  const Content a = context.content(0);
  if (!a) return;
  const Content b = context.content(1);
  if (!b || !is_list(context.shape(0)) || !is_list(context.shape(1))) return;
  const auto length = common_length({a->size(), b->size()});
  if (!length) return;
  std::vector<Size> result;
  const std::string_view op = context.op();
  for (std::size_t i = 0; i < *length; ++i)
    result.push_back(evaluate(context, op, element(*a, i), element(*b, i)));
  context.set_content(0, result);
}

void select_by_condition(InferenceContext& context) {
  broadcast_all(context);
  const Content condition = context.content(0);
  if (!condition) return;
  const Content yes = context.content(1), no = context.content(2);
  if (!yes || !no || !is_list(context.shape(0)) || !is_list(context.shape(1)) || !is_list(context.shape(2)))
    return;
  const auto length = common_length({condition->size(), yes->size(), no->size()});
  if (!length) return;
  std::vector<Size> result;
  for (std::size_t i = 0; i < *length; ++i) {
    const Size which = element(*condition, i), a = element(*yes, i), b = element(*no, i);
    result.push_back(which.is_number() ? (which.value != 0 ? a : b) : a == b ? a : Size());
  }
  context.set_content(0, result);
}

void batch_normalization(InferenceContext& context) {
  context.copy_shape(0, 0);
  for (std::size_t i = 1; i < context.output_count(); ++i) context.copy_shape(i, 1);
}

}  // namespace thence::shapes
