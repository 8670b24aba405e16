// Operators on sequences: recurrent networks, and fused attention.
#include "shapes/shape_rules.h"

namespace thence::shapes {
namespace {

// The work of attention: each query is multiplied with each key, and each score with a value.
Size attention_macs(Sizes& sizes, Size outer, Size queries, Size keys, Size key_width, Size value_width) {
  const Size pairs = sizes.multiply(outer, sizes.multiply(queries, keys));
  return sizes.multiply(pairs, sizes.add(key_width, value_width));
}

}  // namespace

void recurrent(InferenceContext& context, std::int64_t gates) {
  const Shape in = context.shape(0), weight = context.shape(1), state = context.shape(2);
  context.work.macs = {};
  const bool batch_first = context.integer("layout", 0) != 0;
  if (!in.known() || in.rank() != 3 || !weight.known() || weight.rank() != 3) return;
  Sizes& sizes = context.sizes;
  const Size steps = in[batch_first ? 1 : 0], batch = in[batch_first ? 0 : 1], directions = weight[0];
  const Size hidden = state.known() && state.rank() == 3 ? state[2] : sizes.divide(weight[1], gates);
  if (batch_first)
    context.set_shape(0, {batch, steps, directions, hidden});
  else
    context.set_shape(0, {steps, directions, batch, hidden});
  for (const std::size_t last : {1, 2})
    context.set_shape(last,
                      batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden});
  const Size each = sizes.multiply(weight[1], sizes.add(weight[2], hidden));
  context.work.macs = sizes.multiply(sizes.multiply(steps, batch), sizes.multiply(directions, each));
}

void lstm(InferenceContext& context) { recurrent(context, 4); }
void gru(InferenceContext& context) { recurrent(context, 3); }
void rnn(InferenceContext& context) { recurrent(context, 1); }

// The standard operator: heads are a separate axis, or their number is an attribute.
void attention(InferenceContext& context) {
  const Shape query = context.shape(0), key = context.shape(1), value = context.shape(2);
  context.work.macs = {};
  if (!query.known() || !key.known() || !value.known() || query.rank() != key.rank() ||
      query.rank() != value.rank())
    return;
  Sizes& sizes = context.sizes;
  Size past = 0;
  if (context.has_input(4)) {
    const Shape before = context.shape(4);
    past = before.known() && before.rank() == 4 ? before[2] : Size();
  }
  if (query.rank() == 4) {
    context.set_shape(0, {query[0], query[1], query[2], value[3]});
    const Size keys = sizes.add(past, key[2]);
    context.set_shape(1, {key[0], key[1], keys, key[3]});
    context.set_shape(2, {value[0], value[1], keys, value[3]});
    context.work.macs =
        attention_macs(sizes, sizes.multiply(query[0], query[1]), query[2], keys, query[3], value[3]);
  }
  if (query.rank() != 3) return;
  const Size heads = context.integer("q_num_heads", 0), key_heads = context.integer("kv_num_heads", 0);
  if (heads.value <= 0 || key_heads.value <= 0) return;
  const Size key_width = sizes.divide(key[2], key_heads), value_width = sizes.divide(value[2], key_heads);
  context.set_shape(0, {query[0], query[1], sizes.multiply(heads, value_width)});
  const Size keys = sizes.add(past, key[1]);
  context.set_shape(1, {key[0], key_heads, keys, key_width});
  context.set_shape(2, {value[0], key_heads, keys, value_width});
  context.work.macs =
      attention_macs(sizes, sizes.multiply(query[0], heads), query[1], keys, key_width, value_width);
}

// Fused projection and attention: the input, then the three concatenated weights.
void packed_attention(InferenceContext& context) {
  const Shape in = context.shape(0), weight = context.shape(1);
  context.work.macs = {};
  if (!in.known() || in.rank() != 3 || !weight.known() || weight.rank() != 2) return;
  Sizes& sizes = context.sizes;
  Size key_width = sizes.divide(weight[1], 3), value_width = key_width;
  if (const auto widths = context.integers("qkv_hidden_sizes"); widths && widths->size() == 3) {
    key_width = (*widths)[0];
    value_width = (*widths)[2];
  }
  context.set_shape(0, {in[0], in[1], value_width});
  const Size projection_macs =
      sizes.multiply(sizes.multiply(in[0], in[1]), sizes.multiply(weight[0], weight[1]));
  if (!context.has_input(4))
    context.work.macs =
        sizes.add(projection_macs, attention_macs(sizes, in[0], in[1], in[1], key_width, value_width));
}

void multi_head_attention(InferenceContext& context) {
  const Shape query = context.shape(0), key = context.shape(1), value = context.shape(2);
  context.work.macs = {};
  if (!query.known() || query.rank() != 3 || !value.known() || !key.known()) return;
  const bool has_heads =
      value.rank() == 4 && key.rank() == 4;  // keys and values of cross-attention, split into heads
  if (!has_heads && (value.rank() != 3 || key.rank() != 3)) return;
  Sizes& sizes = context.sizes;
  const Size width = has_heads ? sizes.multiply(value[1], value[3]) : value[2];
  context.set_shape(0, {query[0], query[1], width});
  if (!context.has_input(6))
    context.work.macs =
        attention_macs(sizes, query[0], query[1], has_heads ? key[2] : key[1], query[2], width);
}

void grouped_attention(InferenceContext& context) {
  const Shape query = context.shape(0);
  context.work.macs = {};
  if (!query.known() || query.rank() != 3 || !context.has_input(1)) return;
  context.copy_shape(0, 0);
  // With past values, their valid length is known only at run time.
  if (!context.has_input(3))
    context.work.macs = attention_macs(context.sizes, query[0], query[1], query[1], query[2], query[2]);
}

}  // namespace thence::shapes
