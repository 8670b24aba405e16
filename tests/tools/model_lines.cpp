#include "model_lines.h"

#include <cmath>
#include <cstring>

#include "base/format.h"
#include "base/text.h"

namespace thence::tools {
namespace {

using namespace onnx;

template <class List, class Show>
std::string list(const List& items, Show show) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ",";
    out += show(item);
  }
  return out + "]";
}

std::string integer(std::int64_t value) { return std::to_string(value); }

template <class T>
std::string or_null(const std::optional<T>& value) {
  return value ? std::to_string(*value) : "null";
}

// As its bits, so that nothing is rounded; which NaN it is does not matter.
std::string number(float value) {
  if (std::isnan(value)) return "\"nan\"";
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return std::to_string(bits);
}

std::string entries(const std::vector<MetadataEntry>& metadata) {
  return list(metadata, [](const MetadataEntry& entry) {
    return "[" + quoted(entry.key) + "," + quoted(entry.value) + "]";
  });
}

std::string dimension(const Dimension& dim) {
  if (dim.value) return integer(*dim.value);
  return dim.param.data() == nullptr ? "null" : quoted(dim.param);
}

std::string value_info(std::string_view message) {
  const ValueInfoView view = read_value_info(message);
  return base::format(R"({{"name":{},"doc":{},"tensor":{},"elem_type":{},"shape":{},"metadata":{}}})",
                      quoted(view.name), quoted(view.doc_string), view.is_tensor,
                      static_cast<int>(view.elem_type), view.has_shape ? list(view.dims, dimension) : "null",
                      entries(view.metadata));
}

std::string external(const std::optional<ExternalData>& data) {
  if (!data) return "null";
  return base::format("[{},{},{}]", quoted(data->location), or_null(data->offset), or_null(data->length));
}

std::string tensor(const TensorView& view) {
  return base::format(R"({{"name":{},"doc":{},"dims":{},"type":{},"raw":{},"external":{},"metadata":{}}})",
                      quoted(view.name), quoted(view.doc_string), list(view.dims, integer),
                      static_cast<int>(view.data_type), view.raw_size, external(view.external),
                      entries(view.metadata));
}

std::string attribute(const AttributeView& view) {
  return base::format(
      R"({{"name":{},"doc":{},"ref":{},"type":{},"f":{},"i":{},"s":{},"floats":{},"ints":{},"strings":{},)"
      R"("t":{},"tensors":{},"g":{},"graphs":{}}})",
      quoted(view.name), quoted(view.doc_string), quoted(view.ref_attr_name), view.type, number(view.f),
      view.i, quoted(view.s), list(view.floats, number), list(view.ints, integer), list(view.strings, quoted),
      view.has_tensor ? tensor(read_tensor(view.tensor)) : "null",
      list(view.tensors, [](std::string_view message) { return tensor(read_tensor({message})); }),
      view.has_graph, view.graphs.size());
}

std::string producer(const Model& model, ValueId value) {
  const Producer made_by = model.producer(value);
  const auto at = [&](const char* kind, GraphId graph, std::uint32_t index) {
    return base::format(R"(["{}",{},{}])", kind, quoted(model.graph_label(graph)), index);
  };
  switch (made_by.kind) {
    case Producer::Kind::node: {
      const Node node = model.node(made_by.index);
      return at("node", node.graph(), node.index());
    }
    case Producer::Kind::initializer: {
      const GraphId graph = model.initializers()[made_by.index].graph;
      return at("initializer", graph, made_by.index - model.graphs()[graph].first_initializer);
    }
    case Producer::Kind::graph_input: return R"(["graph input"])";
    case Producer::Kind::undefined: return R"(["undefined"])";
  }
  return "";
}

std::string value(const Model& model, ValueId id) {
  if (id == none) return "null";
  return "[" + quoted(model.value_name(id)) + "," + producer(model, id) + "]";
}

std::string header(const Model& model) {
  return base::format(
      R"({{"ir_version":{},"model_version":{},"producer":{},"producer_version":{},"domain":{},"doc":{},)"
      R"("opsets":{},"metadata":{}}})",
      model.ir_version(), model.model_version(), quoted(model.producer_name()),
      quoted(model.producer_version()), quoted(model.domain()), quoted(model.doc_string()),
      list(model.opsets(),
           [](const Opset& opset) { return base::format("[{},{}]", quoted(opset.domain), opset.version); }),
      entries(model.metadata()));
}

std::string graph_line(const Model& model, GraphId id) {
  const Graph& graph = model.graphs()[id];
  const auto show_value = [&](ValueId value_id) { return value(model, value_id); };
  std::vector<std::string> initializers;
  for (std::uint32_t i = 0; i < graph.initializer_count; ++i) {
    const Initializer& initializer = model.initializers()[graph.first_initializer + i];
    initializers.push_back(base::format("[{},{},{}]", initializer.sparse, value(model, initializer.value),
                                        tensor(model.tensor(initializer))));
  }
  return base::format(
      R"({{"graph":{},"name":{},"nodes":{},"inputs":{},"outputs":{},"input_infos":{},"output_infos":{},)"
      R"("value_infos":{},"initializers":[{}],"metadata":{}}})",
      quoted(model.graph_label(id)), quoted(graph.name), graph.node_count, list(graph.inputs, show_value),
      list(graph.outputs, show_value), list(graph.input_infos, value_info),
      list(graph.output_infos, value_info), list(model.value_infos(graph), value_info),
      base::joined(initializers, ","), entries(model.metadata(graph)));
}

std::string node_line(const Model& model, NodeId id) {
  const Node node = model.node(id);
  return base::format(
      R"({{"node":[{},{}],"name":{},"op":{},"domain":{},"overload":{},"doc":{},"inputs":{},"outputs":{},)"
      R"("attributes":{},"metadata":{}}})",
      quoted(model.graph_label(node.graph())), node.index(), quoted(node.name()), quoted(node.op_type()),
      quoted(node.domain()), quoted(node.overload()), quoted(node.doc_string()),
      list(node.inputs(), [&](ValueId value_id) { return value(model, value_id); }),
      list(node.outputs(), [&](ValueId v) { return v == none ? "\"\"" : quoted(model.value_name(v)); }),
      list(node.attributes(), attribute), entries(node.metadata()));
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t length = base::utf8_length(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (length == 0) {
      out += base::format("\\udc{:02x}", byte);
    } else if (byte < 0x20 || byte == 0x7f) {
      out += base::format("\\u{:04x}", byte);
    } else {
      if (byte == '"' || byte == '\\') out += '\\';
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + "\"";
}

std::string model_lines(const Model& model) {
  std::string lines = header(model) + "\n";
  for (GraphId id = 0; id < model.graphs().size(); ++id) lines += graph_line(model, id) + "\n";
  for (NodeId id = 0; id < model.node_count(); ++id) lines += node_line(model, id) + "\n";
  return lines;
}

}  // namespace thence::tools
