// Matrix products. The work is counted in multiply-accumulate operations; a bias adds none.
#include "shapes/rules.h"

namespace thence::shapes {
namespace {

Shape turned(Shape shape, bool turn) {
  if (turn && shape.known() && shape.rank() >= 2) std::swap(shape[shape.rank() - 1], shape[shape.rank() - 2]);
  return shape;
}

// As in numpy: one-dimensional operands count as a row or a column, and other axes are broadcast.
void multiply(Call& call, const Shape& a, const Shape& b) {
  call.work.macs = {};
  if (!a.known() || !b.known() || a.rank() == 0 || b.rank() == 0) return;
  const Size inner = a.last().is_number() ? a.last() : b.rank() == 1 ? b[0] : b.last(1);
  const auto outer = [](const Shape& shape) {
    return shape.rank() > 2 ? Shape(shape.sizes().first(shape.rank() - 2)) : Shape::of_rank(0);
  };
  Shape to = broadcast(outer(a), outer(b));
  if (!to.known()) return;
  if (a.rank() > 1) to.push(a.last(1));
  if (b.rank() > 1) to.push(b.last());
  call.give(0, to);
  call.work.macs = call.sizes.multiply(inner.known() ? inner : a.last(), call.elements(to));
}

}  // namespace

void matrix_product(Call& call) { multiply(call, call.shape(0), call.shape(1)); }
void quantised_matrix_product(Call& call) { multiply(call, call.shape(0), call.shape(3)); }

void fused_matrix_product(Call& call) {
  if (call.integer("transBatchA", 0) != 0 || call.integer("transBatchB", 0) != 0) {
    call.work.macs = {};
    return;
  }
  multiply(call, turned(call.shape(0), call.integer("transA", 0) != 0),
           turned(call.shape(1), call.integer("transB", 0) != 0));
}

void general_product(Call& call) {
  const Shape a = turned(call.shape(0), call.integer("transA", 0) != 0);
  const std::size_t second = call.op() == "QGemm" ? 3 : 1;
  const Shape b = turned(call.shape(second), call.integer("transB", 0) != 0);
  if (a.known() && a.rank() == 2 && b.known() && b.rank() == 2) return multiply(call, a, b);
  Shape to = Shape::of_rank(2);
  if (a.known() && a.rank() == 2) to[0] = a[0];
  if (b.known() && b.rank() == 2) to[1] = b[1];
  call.give(0, to);
  call.work.macs = {};
}

// A matrix packed in blocks of a few bits. Its sizes are attributes.
void packed_product(Call& call) {
  const Shape a = call.shape(0);
  const Size inner = call.integer("K", 0), columns = call.integer("N", 0);
  if (inner.value <= 0 || columns.value <= 0 || !a.known() || a.rank() == 0) {
    call.work.macs = {};
    return;
  }
  Shape to = a;
  to[to.rank() - 1] = columns;
  call.give(0, to);
  call.work.macs = call.sizes.multiply(inner, call.elements(to));
}

}  // namespace thence::shapes
