#include "diff/settings.h"

#include <algorithm>
#include <iterator>

#include "base/embedded.h"
#include "base/format.h"
#include "base/json.h"
#include "base/text_hash.h"
#include "onnx/layout.h"
#include "weights/quantisation.h"
#include "wire/fields.h"

namespace thence::diff {
namespace {

struct NamedInput {
  std::string_view op;
  std::size_t input;
  std::string_view name;
};
// Inputs that are attributes in other versions of the operator, or that hold sizes and indices.
constexpr NamedInput named_inputs[] = {
    {"Squeeze", 1, "axes"},
    {"Unsqueeze", 1, "axes"},
    {"ReduceSum", 1, "axes"},
    {"ReduceMean", 1, "axes"},
    {"ReduceMax", 1, "axes"},
    {"ReduceMin", 1, "axes"},
    {"ReduceProd", 1, "axes"},
    {"ReduceL1", 1, "axes"},
    {"ReduceL2", 1, "axes"},
    {"ReduceLogSum", 1, "axes"},
    {"ReduceSumSquare", 1, "axes"},
    {"ReduceLogSumExp", 1, "axes"},
    {"Split", 1, "split"},
    {"Pad", 1, "pads"},
    {"Pad", 2, "value"},
    {"Pad", 3, "axes"},
    {"Slice", 1, "starts"},
    {"Slice", 2, "ends"},
    {"Slice", 3, "axes"},
    {"Slice", 4, "steps"},
    {"Clip", 1, "min"},
    {"Clip", 2, "max"},
    {"Dropout", 1, "ratio"},
    {"TopK", 1, "k"},
    {"Reshape", 1, "shape"},
    {"Expand", 1, "shape"},
    {"Tile", 1, "repeats"},
    {"Gather", 1, "indices"},
    {"ConstantOfShape", 0, "shape"},
    {"Resize", 2, "scales"},
    {"Resize", 3, "sizes"},
    {"OneHot", 1, "depth"},
    {"CumSum", 1, "axis"},
    {"Upsample", 1, "scales"},
};

// Named float inputs are settings, too: limits, ratios.
constexpr std::string_view float_settings[] = {"value", "min", "max", "ratio", "scales"};

std::string hash_text(std::string_view text) {
  return base::format("#{:016x}", base::text_hash(text, 0x64696666));
}

std::string short_text(std::string_view text) {
  if (text.size() <= max_setting_length) return std::string(text);
  return base::format("{}... {}", text.substr(0, max_setting_length), hash_text(text));
}

// Rare types are shown as a hash.
std::string text_of(const onnx::AttributeView& attribute, std::string_view message, Constants& constants) {
  if (!attribute.ref_attr_name.empty()) return base::format("@{}", short_text(attribute.ref_attr_name));
  enum { is_float = 1, is_int, is_string, is_tensor, is_floats = 6, is_ints, is_strings };
  switch (attribute.type) {
    case is_float: return number_text(std::vector{attribute.f});
    case is_int: return number_text(std::vector{attribute.i});
    case is_string: return short_text(attribute.s);
    case is_floats: return number_text(attribute.floats);
    case is_ints: return number_text(attribute.ints);
    case is_strings: {
      std::string text;
      for (const std::string_view each : attribute.strings) text.append(each).append(",");
      return short_text(text);
    }
    default: break;
  }
  if (!attribute.has_tensor) return hash_text(message);
  const Tensor tensor = constants.tensor_of_attribute(attribute.tensor);
  return tensor.numbers.empty() ? base::format("{} #{:016x}", text_of(tensor), tensor.content)
                                : tensor.numbers;
}

// `allowzero` has no effect on a Reshape without a zero in its shape.
bool has_no_effect(const onnx::Node& node, const onnx::AttributeView& attribute, Constants& constants) {
  if (node.op_type() != "Reshape" || attribute.name != "allowzero" || node.inputs().size() < 2) return false;
  const Tensor* const shape = constants.of(node.inputs()[1]);
  return shape != nullptr && shape->is_read && shape->elements <= max_listed_numbers &&
         ("," + shape->numbers + ",").find(",0,") == std::string::npos;
}

}  // namespace

const Defaults& Defaults::shipped() {
  static const Defaults defaults = [] {
    Defaults made;
    const base::JsonDocument file(base::embedded_file("defaults.json"));
    for (const auto& [op, attributes] : file.root()["operators"].members())
      for (const auto& [attribute, entries] : attributes.members())
        for (const base::JsonValue entry :
             entries.items()) {  // the opset since which it holds, and the value
          auto part = entry.items().begin();
          const base::JsonValue since = *part, value = *++part;
          made.operators_[std::string(op)][std::string(attribute)].push_back(
              {since.integer().value_or(0), std::string(value.text_or({}))});
        }
    return made;
  }();
  return defaults;
}

std::optional<std::string> Defaults::of(std::string_view op, std::string_view attribute,
                                        std::int64_t opset) const {
  const auto known = operators_.find(std::string(op));
  if (known == operators_.end()) return std::nullopt;
  const auto values = known->second.find(std::string(attribute));
  if (values == known->second.end()) return std::nullopt;
  std::optional<std::string> valid;
  for (const Default& each : values->second)
    if (each.since <= opset) valid = each.text;
  return valid;
}

std::vector<Setting> Defaults::outdated(std::string_view op, std::int64_t opset) const {
  std::vector<Setting> found;
  const auto known = operators_.find(std::string(op));
  if (known == operators_.end()) return found;
  for (const auto& [attribute, values] : known->second) {
    if (values.size() == 1) continue;
    if (auto text = of(op, attribute, opset); text && *text != values.back().text)
      found.push_back({attribute, *std::move(text)});
  }
  return found;
}

std::string_view setting_name(std::string_view op, std::size_t input) {
  const auto row = std::find_if(std::begin(named_inputs), std::end(named_inputs),
                                [&](const NamedInput& each) { return each.op == op && each.input == input; });
  return row == std::end(named_inputs) ? std::string_view() : row->name;
}

bool is_setting(const onnx::Node& node, std::size_t input, const Tensor* constant) {
  if (constant == nullptr || !constant->is_read || constant->elements > max_setting_elements) return false;
  if (weights::is_quantised_input(node.op_type(), input)) return false;  // a quantised weight or bias
  const std::string_view name = setting_name(node.op_type(), input);
  if (!constant->is_float()) return !name.empty() || constant->is_setting();
  return std::find(std::begin(float_settings), std::end(float_settings), name) != std::end(float_settings);
}

std::vector<Setting> settings_of(const onnx::Node& node, Constants& constants, std::int64_t opset) {
  std::vector<Setting> settings;
  const std::string_view op = node.op_type();
  const bool is_standard = node.domain().empty() || node.domain() == "ai.onnx";
  std::vector<Setting> absent_defaults;
  if (is_standard) absent_defaults = Defaults::shipped().outdated(op, opset);
  for (wire::Fields field(node.bytes()); field.next();) {
    if (field.tag() != wire::bytes_tag(onnx::NodeField::attribute)) continue;
    const onnx::AttributeView attribute = onnx::read_attribute(field.bytes());
    if (attribute.has_graph || !attribute.graphs.empty()) continue;
    std::string text = text_of(attribute, field.bytes(), constants);
    std::erase_if(absent_defaults, [&](const Setting& each) { return each.name == attribute.name; });
    if (is_standard &&
        (Defaults::shipped().last(op, attribute.name) == text || has_no_effect(node, attribute, constants)))
      continue;
    settings.push_back({std::string(attribute.name), std::move(text)});
  }
  std::move(absent_defaults.begin(), absent_defaults.end(), std::back_inserter(settings));
  const auto inputs = node.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor* const constant = constants.of(inputs[i]);
    if (!is_setting(node, i, constant)) continue;
    const std::string_view name = setting_name(op, i);
    settings.push_back({name.empty() ? base::format("input {}", i) : std::string(name), constant->numbers});
  }
  std::sort(settings.begin(), settings.end(),
            [](const Setting& a, const Setting& b) { return a.name < b.name; });
  return settings;
}

std::int64_t opset_of(const onnx::Model& model) {
  for (const onnx::Opset& opset : model.opsets())
    if (opset.domain.empty() || opset.domain == "ai.onnx") return opset.version;
  return 0;
}

}  // namespace thence::diff
