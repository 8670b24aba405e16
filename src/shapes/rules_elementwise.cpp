// Operators that work element by element, with broadcasting, and arithmetic on the contents of small tensors,
// with which exporters compute shapes.
#include <algorithm>

#include "shapes/rules.h"

namespace thence::shapes {
namespace {

Size boolean(std::optional<bool> value) { return value ? Size(*value ? 1 : 0) : Size(); }

// Sizes are never negative, so an expression can be known to differ from a number.
std::optional<bool> equal(const Sizes& sizes, Size a, Size b) {
  if (!a.known() || !b.known()) return std::nullopt;
  if (a == b) return true;
  if (a.is_number() && b.is_number()) return false;
  const Size number = a.is_number() ? a : b;
  if (number.is_number() && number.value < 0 && sizes.never_negative(a.is_number() ? b : a)) return false;
  return std::nullopt;
}

Size divided(Call& call, Size a, Size b) {
  Sizes& sizes = call.sizes;
  const bool rounds_down = !onnx::is_float(call.type(0)) && sizes.never_negative(a);
  return rounds_down ? sizes.floor_divide(a, b) : sizes.divide(a, b);
}

Size worked_out(std::string_view op, std::int64_t a, std::int64_t b) {
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

Size worked_out(Call& call, std::string_view op, Size a, Size b) {
  Sizes& sizes = call.sizes;
  if (op == "Add" || op == "Sum") return sizes.add(a, b);
  if (op == "Sub") return sizes.subtract(a, b);
  if (op == "Mul") return sizes.multiply(a, b);
  if (op == "Div") return divided(call, a, b);
  if (op == "Equal") return boolean(equal(sizes, a, b));
  if (a.is_number() && b.is_number()) return worked_out(op, a.value, b.value);
  return a == b && (op == "Max" || op == "Min") ? a : Size();
}

// The element at a position after broadcasting. Contents are lists, so only a single number is ever repeated.
Size element(const std::vector<Size>& content, std::size_t at) {
  return content.size() == 1 ? content.front() : content[at];
}

std::optional<std::size_t> together(std::initializer_list<std::size_t> lengths) {
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

void same_shape(Call& call) { call.give_like(0, 0); }

void same_all_outputs(Call& call) {
  for (std::size_t i = 0; i < call.outputs(); ++i) call.give_like(i, 0);
}

void copied(Call& call) {
  call.give_like(0, 0);
  call.give_content(0, call.content(0));
}

namespace {

void give_truth(Call& call, std::int64_t if_zero) {
  Content content = call.content(0);
  if (content)
    for (Size& size : *content)
      size = size.is_number() ? Size(size.value == 0 ? if_zero : 1 - if_zero) : Size();
  call.give_content(0, content);
}

}  // namespace

void cast(Call& call) {
  copied(call);
  if (static_cast<onnx::DataType>(call.integer("to", 0)) == onnx::DataType::boolean) give_truth(call, 0);
}

void negated(Call& call) {
  call.give_like(0, 0);
  give_truth(call, 1);
}

void broadcast_all(Call& call) {
  bool alike = true;
  for (std::size_t i = 1; i < call.inputs() && alike; ++i) alike = call.alike(0, i);
  if (alike) return call.give_like(0, 0);
  Shape made = call.shape(0);
  for (std::size_t i = 1; i < call.inputs() && made.known(); ++i) made = broadcast(made, call.shape(i));
  call.give(0, made);
}

void arithmetic(Call& call) {
  broadcast_all(call);
  if (call.inputs() != 2) {
    if (call.inputs() == 1) call.give_content(0, call.content(0));
    return;
  }
  const Content a = call.content(0);
  if (!a) return;
  const Content b = call.content(1);
  if (!b || !is_list(call.shape(0)) || !is_list(call.shape(1))) return;
  const auto length = together({a->size(), b->size()});
  if (!length) return;
  std::vector<Size> made;
  const std::string_view op = call.op();
  for (std::size_t i = 0; i < *length; ++i)
    made.push_back(worked_out(call, op, element(*a, i), element(*b, i)));
  call.give_content(0, made);
}

void choose(Call& call) {
  broadcast_all(call);
  const Content condition = call.content(0);
  if (!condition) return;
  const Content yes = call.content(1), no = call.content(2);
  if (!yes || !no || !is_list(call.shape(0)) || !is_list(call.shape(1)) || !is_list(call.shape(2))) return;
  const auto length = together({condition->size(), yes->size(), no->size()});
  if (!length) return;
  std::vector<Size> made;
  for (std::size_t i = 0; i < *length; ++i) {
    const Size which = element(*condition, i), a = element(*yes, i), b = element(*no, i);
    made.push_back(which.is_number() ? (which.value != 0 ? a : b) : a == b ? a : Size());
  }
  call.give_content(0, made);
}

void normalised_batch(Call& call) {
  call.give_like(0, 0);
  for (std::size_t i = 1; i < call.outputs(); ++i) call.give_like(i, 1);
}

}  // namespace thence::shapes
