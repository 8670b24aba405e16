// A small map, and what expressions select in it, for the tests of src/expression.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "expression/parser.h"
#include "expression/predicate.h"
#include "onnx_parts.h"
#include "pipeline/pipeline.h"

namespace thence::test {

class Expressing : public testing::Test {
 protected:
  std::string bytes =
      model(graph({node("MatMul", {"x"}, {"a"}, "/enc/layer.0/attn/query/MatMul"),
                   node("Add", {"a"}, {"b"}, "/enc/layer.0/attn/query/Add"),
                   node("Softmax", {"b"}, {"c"}, "/enc/layer.0/attn/Softmax"),
                   node("MatMul", {"c"}, {"d"}, "/enc/layer.1/attn/query/MatMul"),
                   node("Relu", {"d"}, {"e"}, "/dec/layer.0/act/Relu"), node("Neg", {}, {"f"})}))
          .bytes();
  Result<semantics::Map> map = pipeline::map_bytes(bytes, "model.onnx", {});

  /// The numbers of the nodes for which an expression holds, or the code of the error.
  std::string selected(const std::string& text) {
    const Result<expression::Expression> expression = expression::parse(text);
    if (!expression) return expression.error().code;
    Result<expression::Predicate> predicate = expression::Predicate::bind(*expression, *map);
    if (!predicate) return predicate.error().code;
    std::string nodes;
    for (NodeId id = 0; id < map->model().node_count(); ++id)
      if (predicate->matches(id)) nodes += std::to_string(id);
    return nodes;
  }

  /// The text of the error, and its hint.
  std::string failure(const std::string& text) {
    const Result<expression::Expression> expression = expression::parse(text);
    if (!expression) return expression.error().text + " | " + expression.error().hint;
    const Result<expression::Predicate> predicate = expression::Predicate::bind(*expression, *map);
    return predicate ? "no error" : predicate.error().text + " | " + predicate.error().hint;
  }
};

}  // namespace thence::test
