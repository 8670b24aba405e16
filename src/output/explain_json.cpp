#include "output/explain_json.h"

#include <algorithm>

#include "output/limits.h"
#include "output/source_lines.h"

namespace thence::output {

using base::JsonWriter;

namespace {

void write_size(JsonWriter& json, shapes::Size size, const shapes::Sizes& sizes) {
  if (size.is_number())
    json.value(size.value);
  else if (size.known())
    json.value(sizes.text(size));
  else
    json.null();
}

void write_values(JsonWriter& json, std::span<const onnx::ValueId> values,
                  const shapes::InferredShapes& inferred) {
  json.begin_array();
  for (const onnx::ValueId value : values.first(std::min(values.size(), max_values_per_node))) {
    const shapes::Shape shape = value == onnx::none ? shapes::Shape() : inferred.values.shape(value);
    if (!shape.known()) {
      json.null();
      continue;
    }
    json.begin_array();
    for (std::size_t d = 0; d < shape.rank(); ++d) write_size(json, shape[d], inferred.sizes);
    json.end_array();
  }
  json.end_array();
}

}  // namespace

void write_shapes(JsonWriter& json, const onnx::Node& node, const shapes::InferredShapes& inferred) {
  json.begin_object<"shapes">();
  json.key<"inputs">();
  write_values(json, node.inputs(), inferred);
  json.key<"outputs">();
  write_values(json, node.outputs(), inferred);
  json.end_object();
  json.key<"flops">();
  const shapes::Size macs = inferred.work[node.id()].macs;
  shapes::Polynomial flops;
  if (!macs.known() || !flops.add(inferred.sizes.polynomial(macs), 2))
    json.null();
  else if (flops.is_number())
    json.value(flops.number());
  else
    json.value(inferred.sizes.text(flops));
}

void write_source_lines(JsonWriter& json, const onnx::Node& node) {
  json.begin_array<"source_lines">();
  for (const Frame& frame : source_lines(node)) {
    json.begin_object();
    json.member<"file">(frame.file);
    json.member<"line">(frame.line);
    json.member<"function">(frame.function);
    json.member_or_null<"code">(frame.code);
    json.end_object();
  }
  json.end_array();
}

}  // namespace thence::output
