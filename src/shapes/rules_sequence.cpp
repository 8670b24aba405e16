// Operators on sequences: recurrent networks, and fused attention.
#include "shapes/rules.h"

namespace thence::shapes {
namespace {

// The work of attention: each query is multiplied with each key, and each score with a value.
Size attended(Sizes& sizes, Size outer, Size queries, Size keys, Size key_width, Size value_width) {
  const Size pairs = sizes.multiply(outer, sizes.multiply(queries, keys));
  return sizes.multiply(pairs, sizes.add(key_width, value_width));
}

}  // namespace

void recurrent(Call& call, std::int64_t gates) {
  const Shape in = call.shape(0), weight = call.shape(1), state = call.shape(2);
  call.work.macs = {};
  const bool batch_first = call.integer("layout", 0) != 0;
  if (!in.known() || in.rank() != 3 || !weight.known() || weight.rank() != 3) return;
  Sizes& sizes = call.sizes;
  const Size steps = in[batch_first ? 1 : 0], batch = in[batch_first ? 0 : 1], directions = weight[0];
  const Size hidden = state.known() && state.rank() == 3 ? state[2] : sizes.divide(weight[1], gates);
  if (batch_first)
    call.give(0, {batch, steps, directions, hidden});
  else
    call.give(0, {steps, directions, batch, hidden});
  for (const std::size_t last : {1, 2})
    call.give(last, batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden});
  const Size each = sizes.multiply(weight[1], sizes.add(weight[2], hidden));
  call.work.macs = sizes.multiply(sizes.multiply(steps, batch), sizes.multiply(directions, each));
}

void lstm(Call& call) { recurrent(call, 4); }
void gru(Call& call) { recurrent(call, 3); }
void rnn(Call& call) { recurrent(call, 1); }

// The standard operator: heads are a separate axis, or their number is an attribute.
void attention(Call& call) {
  const Shape query = call.shape(0), key = call.shape(1), value = call.shape(2);
  call.work.macs = {};
  if (!query.known() || !key.known() || !value.known() || query.rank() != key.rank() ||
      query.rank() != value.rank())
    return;
  Sizes& sizes = call.sizes;
  Size past = 0;
  if (call.has(4)) {
    const Shape before = call.shape(4);
    past = before.known() && before.rank() == 4 ? before[2] : Size();
  }
  if (query.rank() == 4) {
    call.give(0, {query[0], query[1], query[2], value[3]});
    const Size keys = sizes.add(past, key[2]);
    call.give(1, {key[0], key[1], keys, key[3]});
    call.give(2, {value[0], value[1], keys, value[3]});
    call.work.macs = attended(sizes, sizes.multiply(query[0], query[1]), query[2], keys, query[3], value[3]);
  }
  if (query.rank() != 3) return;
  const Size heads = call.integer("q_num_heads", 0), key_heads = call.integer("kv_num_heads", 0);
  if (heads.value <= 0 || key_heads.value <= 0) return;
  const Size key_width = sizes.divide(key[2], key_heads), value_width = sizes.divide(value[2], key_heads);
  call.give(0, {query[0], query[1], sizes.multiply(heads, value_width)});
  const Size keys = sizes.add(past, key[1]);
  call.give(1, {key[0], key_heads, keys, key_width});
  call.give(2, {value[0], key_heads, keys, value_width});
  call.work.macs = attended(sizes, sizes.multiply(query[0], heads), query[1], keys, key_width, value_width);
}

// Fused projection and attention: the input, then the three concatenated weights.
void packed_attention(Call& call) {
  const Shape in = call.shape(0), weight = call.shape(1);
  call.work.macs = {};
  if (!in.known() || in.rank() != 3 || !weight.known() || weight.rank() != 2) return;
  Sizes& sizes = call.sizes;
  Size key_width = sizes.divide(weight[1], 3), value_width = key_width;
  if (const auto widths = call.integers("qkv_hidden_sizes"); widths && widths->size() == 3) {
    key_width = (*widths)[0];
    value_width = (*widths)[2];
  }
  call.give(0, {in[0], in[1], value_width});
  const Size projected = sizes.multiply(sizes.multiply(in[0], in[1]), sizes.multiply(weight[0], weight[1]));
  if (!call.has(4))
    call.work.macs = sizes.add(projected, attended(sizes, in[0], in[1], in[1], key_width, value_width));
}

void multi_head_attention(Call& call) {
  const Shape query = call.shape(0), key = call.shape(1), value = call.shape(2);
  call.work.macs = {};
  if (!query.known() || query.rank() != 3 || !value.known() || !key.known()) return;
  const bool headed =
      value.rank() == 4 && key.rank() == 4;  // keys and values of cross-attention, split into heads
  if (!headed && (value.rank() != 3 || key.rank() != 3)) return;
  Sizes& sizes = call.sizes;
  const Size width = headed ? sizes.multiply(value[1], value[3]) : value[2];
  call.give(0, {query[0], query[1], width});
  if (!call.has(6))
    call.work.macs = attended(sizes, query[0], query[1], headed ? key[2] : key[1], query[2], width);
}

void grouped_attention(Call& call) {
  const Shape query = call.shape(0);
  call.work.macs = {};
  if (!query.known() || query.rank() != 3 || !call.has(1)) return;
  call.give_like(0, 0);
  // With past values, their valid length is known only at run time.
  if (!call.has(3)) call.work.macs = attended(call.sizes, query[0], query[1], query[1], query[2], query[2]);
}

}  // namespace thence::shapes
