// InferenceContext: the interface between a node and the rule of its operator. It gives the rule the known
// inputs and attributes, and takes the shapes of the outputs and the work.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "onnx/model.h"
#include "shapes/values.h"

namespace thence::shapes {

/// The work of one node. Unknown sizes result in unknown work.
struct Work {
  Size macs = 0;         // multiply-accumulate operations: matrix products, convolutions, attention
  Size elementwise = 0;  // elements processed one by one
};

class InferenceContext {
 public:
  InferenceContext(const onnx::Model& model, onnx::NodeId node, std::int64_t opset, Values& values,
                   Sizes& arithmetic)
      : sizes(arithmetic), node_(model.node(node)), values_(values), opset_(opset) {}

  std::int64_t opset() const { return opset_; }
  std::string_view op() const { return node_.op_type(); }
  std::size_t input_count() const { return node_.inputs().size(); }
  std::size_t output_count() const { return node_.outputs().size(); }
  bool has_input(std::size_t input) const {
    return input < input_count() && node_.inputs()[input] != onnx::none;
  }
  Shape shape(std::size_t input) const { return has_input(input) ? values_.shape(id(input)) : Shape(); }
  Content content(std::size_t input) const {
    return has_input(input) ? values_.content(id(input)) : std::nullopt;
  }
  /// The only number of a content, such as an axis; unknown if there is none.
  Size scalar(std::size_t input) const;
  onnx::DataType type(std::size_t input) const {
    return has_input(input) ? values_.type(id(input)) : onnx::DataType::undefined;
  }
  /// Whether two inputs are known to have the same shape.
  bool have_same_shape(std::size_t a, std::size_t b) const {
    return has_input(a) && has_input(b) && values_.same_shape(id(a), id(b));
  }

  std::optional<onnx::AttributeView> attribute(std::string_view name) const { return node_.attribute(name); }
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  std::string_view text(std::string_view name) const;
  /// Numbers in an attribute or, since some opset, in an input; empty if unknown. `is_given` is set to
  /// whether they are present.
  std::optional<std::vector<std::int64_t>> integers(std::string_view name) const;
  std::optional<std::vector<std::int64_t>> numbers(std::size_t input, std::string_view name,
                                                   bool& is_given) const;

  void set_shape(std::size_t output, const Shape& shape);
  void copy_shape(std::size_t output, std::size_t input);  // gives the shape of an input
  void set_content(std::size_t output, const Content& content);
  void set_type(std::size_t output, onnx::DataType type);

  Size elements(const Shape& shape) const;
  Size output_elements() const;

  Sizes& sizes;
  Work work = {};

 private:
  onnx::ValueId id(std::size_t input) const { return node_.inputs()[input]; }
  bool has_output(std::size_t output) const {
    return output < output_count() && node_.outputs()[output] != onnx::none;
  }

  onnx::Node node_;
  Values& values_;
  std::int64_t opset_;
};

/// The effect of an operator on shapes, and its work. Outputs that the rule does not set stay unknown.
using ShapeRule = void (*)(InferenceContext& context);

/// The result of broadcasting.
Shape broadcast(const Shape& a, const Shape& b);

}  // namespace thence::shapes
