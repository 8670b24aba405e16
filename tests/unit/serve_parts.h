// A small map with two layers, a flat one, and their answers, for the tests of src/serve.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "onnx_parts.h"
#include "pipeline/pipeline.h"
#include "serve/view_data.h"

namespace thence::test {

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class Serving : public testing::Test {
 protected:
  // Modules: 0 root, enc, enc.layer, enc.layer.0, .attn, ... ; the Neg in the middle has no module.
  std::string bytes = model(graph({node("Cast", {"x"}, {"a"}, "/Cast"),
                                   node("MatMul", {"a"}, {"b"}, "/enc/layer.0/attn/MatMul"),
                                   node("Relu", {"b"}, {"c"}, "/enc/layer.0/act/Relu"),
                                   node("MatMul", {"c"}, {"d"}, "/enc/layer.1/attn/MatMul"),
                                   node("Relu", {"d"}, {"e"}, "/enc/layer.1/act/Relu"),
                                   node("Add", {"e", "c"}, {"y"}, "/head/Add")},
                                  {"x"}, {"y"}))
                          .bytes();
  Result<semantics::Map> map = pipeline::map_bytes(bytes, "folder/model.onnx", {});

  std::string answer(const serve::ViewData& data, std::string_view question,
                     const serve::Parameters& with = {}) {
    const Result<std::string> text = data.answer(question, with);
    return text ? *text : text.error().code;
  }
  modules::ModuleId module(std::string_view path) { return map->tree().find(path); }
  std::string box(std::string_view path) { return "m" + std::to_string(module(path)); }
};

/// A model without names: all nodes are unknown.
inline std::string flat_model(std::size_t nodes) {
  Message made;
  for (std::size_t i = 0; i < nodes; ++i)
    made.inner(GraphField::node, node("Neg", {"v" + std::to_string(i)}, {"v" + std::to_string(i + 1)}));
  made.inner(GraphField::input, value_info("v0"));
  return model(made).bytes();
}

}  // namespace thence::test
