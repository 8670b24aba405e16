#include "profile/openvino.h"

#include <charconv>

#include "base/format.h"
#include "base/text.h"
#include "profile/limits.h"

namespace thence::profile {
namespace {

Error damaged(std::string text) {
  return {ErrorKind::bad_input, "K002", std::move(text), "write the execution graph again"};
}

// Appends a character reference such as "#10" or "#x1e"; false if it is none.
bool append_reference(std::string& out, std::string_view reference) {
  const bool is_hexadecimal = reference.starts_with("#x");
  const std::string_view digits = reference.substr(is_hexadecimal ? 2 : 1);
  unsigned code = 0;
  const auto [end, failed] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, is_hexadecimal ? 16 : 10);
  if (failed != std::errc() || end != digits.data() + digits.size() || code >= 0x80) return false;
  out.push_back(static_cast<char>(code));
  return true;
}

std::string decode(std::string_view text) {
  static constexpr std::pair<std::string_view, char> entities[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '&' ? text.find(';', at) : std::string_view::npos;
    if (end == std::string_view::npos || end - at > 8) {
      out.push_back(text[at]);
      continue;
    }
    const std::string_view name = text.substr(at + 1, end - at - 1);
    bool is_known = name.starts_with('#') && append_reference(out, name);
    for (const auto& [entity, character] : entities)
      if (name == entity) {
        out.push_back(character);
        is_known = true;
      }
    if (is_known)
      at = end;
    else
      out.push_back('&');
  }
  return out;
}

// The value of an attribute in an opening tag.
std::optional<std::string> attribute(std::string_view tag, std::string_view name) {
  const std::string pattern = base::format(" {}=\"", name);
  const std::size_t begin = tag.find(pattern);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t value = begin + pattern.size(), end = tag.find('"', value);
  return decode(tag.substr(value, end - value));
}

// The tag at a position, up to its closing bracket outside of quotes. Empty if the text ends before.
std::string_view tag_at(std::string_view xml, std::size_t begin) {
  bool is_quoted = false;
  for (std::size_t at = begin; at < xml.size(); ++at) {
    if (xml[at] == '"') is_quoted = !is_quoted;
    if (xml[at] == '>' && !is_quoted) return xml.substr(begin, at + 1 - begin);
  }
  return {};
}

std::optional<Error> read_layer(std::string_view layer, std::string_view data, RecordingBuilder& builder) {
  const std::string time = attribute(data, "execTimeMcs").value_or("not_executed");
  if (time == "not_executed") return std::nullopt;
  double microseconds = 0;
  const auto [end, failed] = std::from_chars(time.data(), time.data() + time.size(), microseconds);
  if (failed != std::errc() || end != time.data() + time.size() || !is_possible_time(microseconds))
    return damaged(base::format("a layer has an impossible time ({})", base::printable(time.substr(0, 40))));
  Kernel kernel{.name = attribute(layer, "name").value_or(""),
                .op_type = attribute(layer, "type").value_or(""),
                .provider = attribute(data, "primitiveType").value_or(""),
                .parent = {}};
  const std::string originals = attribute(data, "originalLayersNames").value_or("");
  for (const std::string_view name : base::split(originals, ','))
    if (!name.empty() && kernel.node_names.size() < max_members) kernel.node_names.emplace_back(name);
  ++builder.recording().events;
  builder.add(builder.kernel(kernel), microseconds);
  return std::nullopt;
}

}  // namespace

std::optional<Error> read_execution_graph(std::string_view xml, RecordingBuilder& builder) {
  constexpr std::string_view layer_begin = "<layer ", data_begin = "<data ";
  if (!xml.ends_with('>') && xml.rfind("</net>") == std::string_view::npos)
    return damaged("the file ends in the middle of the graph");
  for (std::size_t at = xml.find(layer_begin); at != std::string_view::npos;) {
    const std::string_view layer = tag_at(xml, at);
    if (layer.empty()) return damaged("the file ends in the middle of a layer");
    const std::size_t next = xml.find(layer_begin, at + layer.size());
    const std::string_view inside = xml.substr(at, next - at);
    if (const std::size_t data = inside.find(data_begin, layer.size()); data != std::string_view::npos)
      if (std::optional<Error> error = read_layer(layer, tag_at(inside, data), builder)) return error;
    at = next;
  }
  return std::nullopt;
}

bool is_profiling_entry(base::JsonValue item) {
  return item["node_name"].text() && item["status"].text() && item["real_time"].exists();
}

std::optional<Error> read_profiling_entry(base::JsonValue item, RecordingBuilder& builder) {
  if (!is_profiling_entry(item)) return damaged("an entry lacks 'node_name', 'status' or 'real_time'");
  if (!item["status"].text_or("").ends_with("EXECUTED")) return std::nullopt;
  const std::optional<double> microseconds = item["real_time"].real();
  if (!microseconds || !is_possible_time(*microseconds)) return damaged("an entry has an impossible time");
  ++builder.recording().events;
  builder.add(builder.kernel({.name = std::string(item["node_name"].text_or("")),
                              .op_type = std::string(item["node_type"].text_or("")),
                              .provider = std::string(item["exec_type"].text_or("")),
                              .parent = {}}),
              *microseconds);
  return std::nullopt;
}

}  // namespace thence::profile
