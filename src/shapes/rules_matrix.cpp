// Matrix products. The work is counted in multiply-accumulate operations; a bias adds none.
#include "shapes/shape_rules.h"

namespace thence::shapes {
namespace {

Shape transposed_if(Shape shape, bool is_transposed) {
  if (is_transposed && shape.known() && shape.rank() >= 2)
    std::swap(shape[shape.rank() - 1], shape[shape.rank() - 2]);
  return shape;
}

// As in numpy: one-dimensional operands count as a row or a column, and other axes are broadcast.
void multiply(InferenceContext& context, const Shape& a, const Shape& b) {
  context.work.macs = {};
  if (!a.known() || !b.known() || a.rank() == 0 || b.rank() == 0) return;
  const Size inner = a.last().is_number() ? a.last() : b.rank() == 1 ? b[0] : b.last(1);
  const auto outer = [](const Shape& shape) {
    return shape.rank() > 2 ? Shape(shape.sizes().first(shape.rank() - 2)) : Shape::of_rank(0);
  };
  Shape to = broadcast(outer(a), outer(b));
  if (!to.known()) return;
  if (a.rank() > 1) to.push(a.last(1));
  if (b.rank() > 1) to.push(b.last());
  context.set_shape(0, to);
  context.work.macs = context.sizes.multiply(inner.known() ? inner : a.last(), context.elements(to));
}

}  // namespace

void matmul(InferenceContext& context) { multiply(context, context.shape(0), context.shape(1)); }
void quantised_matmul(InferenceContext& context) { multiply(context, context.shape(0), context.shape(3)); }

void fused_matmul(InferenceContext& context) {
  if (context.integer("transBatchA", 0) != 0 || context.integer("transBatchB", 0) != 0) {
    context.work.macs = {};
    return;
  }
  multiply(context, transposed_if(context.shape(0), context.integer("transA", 0) != 0),
           transposed_if(context.shape(1), context.integer("transB", 0) != 0));
}

void gemm(InferenceContext& context) {
  const Shape a = transposed_if(context.shape(0), context.integer("transA", 0) != 0);
  const std::size_t second = context.op() == "QGemm" ? 3 : 1;
  const Shape b = transposed_if(context.shape(second), context.integer("transB", 0) != 0);
  if (a.known() && a.rank() == 2 && b.known() && b.rank() == 2) return multiply(context, a, b);
  Shape to = Shape::of_rank(2);
  if (a.known() && a.rank() == 2) to[0] = a[0];
  if (b.known() && b.rank() == 2) to[1] = b[1];
  context.set_shape(0, to);
  context.work.macs = {};
}

// A matrix packed in blocks of a few bits. Its sizes are attributes.
void matmul_nbits(InferenceContext& context) {
  const Shape a = context.shape(0);
  const Size inner = context.integer("K", 0), columns = context.integer("N", 0);
  if (inner.value <= 0 || columns.value <= 0 || !a.known() || a.rank() == 0) {
    context.work.macs = {};
    return;
  }
  Shape to = a;
  to[to.rank() - 1] = columns;
  context.set_shape(0, to);
  context.work.macs = context.sizes.multiply(inner, context.elements(to));
}

}  // namespace thence::shapes
