#include "output/explain_json.h"

#include "output/json_text.h"
#include "output/source_lines.h"

namespace thence::output {
namespace {

constexpr std::size_t most_values = 1000;  // of a node; a hostile one may have millions

void append_size(std::string& text, shapes::Size size, const shapes::Sizes& sizes) {
  if (size.is_number())
    text += std::to_string(size.value);
  else if (size.known())
    append_json_string(text, sizes.text(size));
  else
    text += "null";
}

void append_list(std::string& text, std::span<const onnx::ValueId> values, const shapes::Inferred& inferred) {
  text += '[';
  for (std::size_t i = 0; i < values.size() && i < most_values; ++i) {
    if (i > 0) text += ',';
    const shapes::Shape shape = values[i] == onnx::none ? shapes::Shape() : inferred.values.shape(values[i]);
    text += shape.known() ? "[" : "null";
    if (!shape.known()) continue;
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      if (d > 0) text += ',';
      append_size(text, shape[d], inferred.sizes);
    }
    text += ']';
  }
  text += ']';
}

}  // namespace

void append_shapes(std::string& text, const onnx::Node& node, const shapes::Inferred& inferred) {
  text += R"("shapes":{"inputs":)";
  append_list(text, node.inputs(), inferred);
  text += R"(,"outputs":)";
  append_list(text, node.outputs(), inferred);
  text += R"(},"flops":)";
  const shapes::Size macs = inferred.work[node.id()].macs;
  shapes::Polynomial flops;
  if (!macs.known() || !flops.add(inferred.sizes.polynomial(macs), 2))
    text += "null";
  else if (flops.is_number())
    text += std::to_string(flops.number());
  else
    append_json_string(text, inferred.sizes.text(flops));
}

void append_source_lines(std::string& text, const onnx::Node& node) {
  text += R"("source_lines":[)";
  bool first = true;
  for (const Frame& frame : source_lines(node)) {
    text += first ? R"({"file":)" : R"(,{"file":)";
    first = false;
    append_json_string(text, frame.file);
    text += R"(,"line":)";
    text += std::to_string(frame.line);
    text += R"(,"function":)";
    append_json_string(text, frame.function);
    text += R"(,"code":)";
    append_json_string_or_null(text, frame.code);
    text += '}';
  }
  text += ']';
}

}  // namespace thence::output
