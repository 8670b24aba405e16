// The rules, grouped by topic. operators.cpp assigns them to operators.
#pragma once

#include "shapes/call.h"

namespace thence::shapes {

// Element by element: rules_elementwise.cpp
void same_shape(Call& call);        // the shape of the first input
void same_all_outputs(Call& call);  // the shape of the first input for every output
void copied(Call& call);            // the first input, with its content
void cast(Call& call);              // copied; content becomes boolean if the type does
void negated(Call& call);           // Not
void broadcast_all(Call& call);     // the broadcast of all inputs
void arithmetic(Call& call);        // broadcast, and computed if contents are known
void choose(Call& call);            // Where
void normalised_batch(Call& call);

// Other views of the same data: rules_layout.cpp
void reshape(Call& call);
void flatten(Call& call);
void transpose(Call& call);
void squeeze(Call& call);
void unsqueeze(Call& call);
void expand(Call& call);
void tile(Call& call);
void pad(Call& call);
void depth_to_space(Call& call);
void space_to_depth(Call& call);

// Constants and tensors computed from shapes: rules_constant.cpp
void constant(Call& call);
void constant_of_shape(Call& call);
void range(Call& call);
void shape_of(Call& call);
void size_of(Call& call);
void content_of_scalar(Call& call);  // scale and zero point of DynamicQuantizeLinear

// Selecting and combining parts: rules_select.cpp
void slice(Call& call);
void split(Call& call);
void concat(Call& call);
void gather(Call& call);
void gather_elements(Call& call);
void gather_nd(Call& call);
void one_hot(Call& call);
void top_k(Call& call);
void non_zero(Call& call);

// Reductions and windows: rules_reduce.cpp, rules_window.cpp
void reduce(Call& call);
void arg_reduce(Call& call);
void pool(Call& call);
void global_pool(Call& call);
void resize(Call& call);
void convolution(Call& call);
void quantised_convolution(Call& call);
void transposed_convolution(Call& call);

// Matrix products: rules_matrix.cpp, einsum.cpp
void matrix_product(Call& call);
void quantised_matrix_product(Call& call);
void fused_matrix_product(Call& call);
void general_product(Call& call);
void packed_product(Call& call);
void einsum(Call& call);

// Sequences: rules_sequence.cpp
void recurrent(Call& call, std::int64_t gates);
void lstm(Call& call);
void gru(Call& call);
void rnn(Call& call);
void attention(Call& call);
void packed_attention(Call& call);
void multi_head_attention(Call& call);
void grouped_attention(Call& call);

}  // namespace thence::shapes
