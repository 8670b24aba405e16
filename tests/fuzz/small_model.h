// A map of a small model with two layers, for targets that read something else than models.
#pragma once

#include "onnx_parts.h"
#include "pipeline/pipeline.h"

namespace thence::fuzz {

inline const semantics::Map& small_map() {
  using test::node;
  static const std::string bytes =
      test::model(test::graph({node("MatMul", {"x", "enc.layer.0.attn.query.weight"}, {"a"},
                                    "/enc/layer.0/attn/query/MatMul"),
                               node("Add", {"a"}, {"b"}, "/enc/layer.0/attn/query/Add"),
                               node("Softmax", {"b"}, {"c"}, "/enc/layer.0/attn/Softmax"),
                               node("MatMul", {"c"}, {"d"}, "/enc/layer.1/attn/query/MatMul"),
                               node("Relu", {"d"}, {"e"}, "/dec/layer.0/act/Relu"), node("Neg", {}, {"f"})},
                              {"x"}, {"e"}))
          .bytes();
  static const Result<semantics::Map> map = pipeline::map_bytes(bytes, "model.onnx", {});
  return *map;
}

}  // namespace thence::fuzz
