#include "profile/tensorrt.h"

#include <cmath>

#include "profile/limits.h"

namespace thence::profile {
namespace {

constexpr std::string_view onnx_layer = "[ONNX Layer: ", foreign_node = "ForeignNode[",
                           copy_node = "Reformatting CopyNode for ";

Error damaged(const char* text) { return {ErrorKind::bad_input, "K002", text, "record the profile again"}; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The text between the outermost brackets after `prefix`, if the text is "prefix...close".
std::optional<std::string_view> unwrap(std::string_view text, std::string_view prefix, char close) {
  if (!text.starts_with(prefix) || !text.ends_with(close)) return std::nullopt;
  return text.substr(prefix.size(), text.size() - prefix.size() - 1);
}

void append_parts(std::string_view text, std::string_view separator, std::vector<std::string>& out) {
  while (out.size() < max_members) {
    const std::size_t end = text.find(separator);
    if (const std::string_view part = trim(text.substr(0, end)); !part.empty()) out.emplace_back(part);
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + separator.size());
  }
}

// A copy into another layout names the node that reads or writes it: "... for Input Tensor 0 to a".
std::string_view copied_for(std::string_view name) {
  if (!name.starts_with(copy_node)) return name;
  for (const std::string_view direction : {" to ", " from "})
    if (const std::size_t at = name.find(direction); at != std::string_view::npos)
      return name.substr(at + direction.size());
  return name;
}

}  // namespace

std::vector<std::string> nodes_in_layer_name(std::string_view name) {
  std::vector<std::string> parts, nodes;
  append_parts(copied_for(name), " + ", parts);
  for (const std::string& part : parts) {
    std::string_view text = part;
    if (const auto inner = unwrap(text, "{", '}')) text = *inner;
    if (const auto range = unwrap(text, foreign_node, ']'))
      nodes.emplace_back(*range);
    else if (const auto pointwise = unwrap(text, "PWN(", ')'))
      append_parts(*pointwise, ",", nodes);
    else
      nodes.emplace_back(text);
  }
  return nodes;
}

std::vector<std::string> nodes_in_metadata(std::string_view metadata) {
  std::vector<std::string> nodes;
  for (std::size_t at = metadata.find(onnx_layer);
       at != std::string_view::npos && nodes.size() < max_members;) {
    const std::size_t begin = at + onnx_layer.size(), next = metadata.find(onnx_layer, begin);
    const std::size_t separator = metadata.find_first_of("\x1e\x1f", begin);
    std::string_view name = metadata.substr(begin, std::min(separator, next) - begin);
    name = trim(name);
    if (name.ends_with(']')) name.remove_suffix(1);  // a name may have brackets, so the last one closes
    if (!name.empty()) nodes.emplace_back(name);
    at = next;
  }
  return nodes;
}

std::optional<Error> read_layer_information(base::JsonValue root, LayerNodes& layers) {
  if (!root["Layers"].is_array()) return damaged("the layer information has no array 'Layers'");
  for (const base::JsonValue layer : root["Layers"].items()) {
    // Without detailed verbosity, a layer is only its name.
    const std::string_view name = layer.is_object() ? layer["Name"].text_or("") : layer.text_or("");
    if (name.empty()) return damaged("a layer has no name");
    std::vector<std::string> nodes = nodes_in_metadata(layer["Metadata"].text_or(""));
    if (nodes.empty()) nodes = nodes_in_layer_name(name);
    layers.insert_or_assign(std::string(name), std::move(nodes));
  }
  return std::nullopt;
}

bool is_layer_time(base::JsonValue item) {
  return item["count"].natural() ||
         (item["name"].text() && (item["timeMs"].exists() || item["averageMs"].exists()));
}

std::optional<Error> read_layer_time(base::JsonValue item, const LayerNodes& layers,
                                     RecordingBuilder& builder) {
  Recording& recording = builder.recording();
  if (const auto count = item["count"].natural(); count && !item["name"].exists()) {
    recording.averaged_runs += *count;
    return std::nullopt;
  }
  if (!is_layer_time(item)) return damaged("an entry lacks 'name' or 'timeMs'");
  const std::string_view name = item["name"].text_or("");
  const std::optional<double> total = item["timeMs"].real(), average = item["averageMs"].real();
  const double runs = std::max(1.0, static_cast<double>(recording.averaged_runs));
  const double microseconds = 1000 * (average ? *average : total.value_or(-1) / runs);
  if (!is_possible_time(microseconds)) return damaged("a layer has an impossible time");
  Kernel kernel{.name = std::string(name), .op_type = {}, .provider = {}, .parent = {}};
  const auto known = layers.find(name);
  kernel.node_names = known != layers.end() ? known->second : nodes_in_layer_name(name);
  ++recording.events;
  builder.add(builder.kernel(kernel), microseconds);
  return std::nullopt;
}

}  // namespace thence::profile
