// The rules, grouped by topic. operators.cpp assigns them to operators.
#pragma once

#include "shapes/inference_context.h"

namespace thence::shapes {

// Element by element: rules_elementwise.cpp
void same_shape(InferenceContext& context);              // the shape of the first input
void same_shape_all_outputs(InferenceContext& context);  // the shape of the first input for every output
void identity(InferenceContext& context);                // the first input, with its content
void cast(InferenceContext& context);                    // copied; content becomes boolean if the type does
void logical_not(InferenceContext& context);             // Not
void broadcast_all(InferenceContext& context);           // the broadcast of all inputs
void arithmetic(InferenceContext& context);              // broadcast, and computed if contents are known
void select_by_condition(InferenceContext& context);     // Where
void batch_normalization(InferenceContext& context);

// Other views of the same data: rules_layout.cpp
void reshape(InferenceContext& context);
void flatten(InferenceContext& context);
void transpose(InferenceContext& context);
void squeeze(InferenceContext& context);
void unsqueeze(InferenceContext& context);
void expand(InferenceContext& context);
void tile(InferenceContext& context);
void pad(InferenceContext& context);
void depth_to_space(InferenceContext& context);
void space_to_depth(InferenceContext& context);

// Constants and tensors computed from shapes: rules_constant.cpp
void constant(InferenceContext& context);
void constant_of_shape(InferenceContext& context);
void range(InferenceContext& context);
void shape_of(InferenceContext& context);
void size_of(InferenceContext& context);
void dynamic_quantize(InferenceContext& context);  // scale and zero point of DynamicQuantizeLinear

// The blocked layout of a runtime: rules_blocked.cpp
void reorder_input(InferenceContext& context);
void reorder_output(InferenceContext& context);
void blocked_upsample(InferenceContext& context);

// Selecting and combining parts: rules_select.cpp
void slice(InferenceContext& context);
void split(InferenceContext& context);
void concat(InferenceContext& context);
void gather(InferenceContext& context);
void gather_elements(InferenceContext& context);
void gather_nd(InferenceContext& context);
void one_hot(InferenceContext& context);
void top_k(InferenceContext& context);
void non_zero(InferenceContext& context);

// Reductions and windows: rules_reduce.cpp, rules_window.cpp
void reduce(InferenceContext& context);
void arg_reduce(InferenceContext& context);
void pool(InferenceContext& context);
void global_pool(InferenceContext& context);
void resize(InferenceContext& context);
void convolution(InferenceContext& context);
void quantised_convolution(InferenceContext& context);
void transposed_convolution(InferenceContext& context);

// Matrix products: rules_matrix.cpp, einsum.cpp
void matmul(InferenceContext& context);
void quantised_matmul(InferenceContext& context);
void fused_matmul(InferenceContext& context);
void gemm(InferenceContext& context);
void matmul_nbits(InferenceContext& context);
void einsum(InferenceContext& context);

// Sequences: rules_sequence.cpp
void recurrent(InferenceContext& context, std::int64_t gates);
void lstm(InferenceContext& context);
void gru(InferenceContext& context);
void rnn(InferenceContext& context);
void attention(InferenceContext& context);
void packed_attention(InferenceContext& context);
void multi_head_attention(InferenceContext& context);
void grouped_attention(InferenceContext& context);

}  // namespace thence::shapes
