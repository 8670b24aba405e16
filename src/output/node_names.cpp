#include "output/node_names.h"

#include "base/text.h"
#include "base/text_index.h"
#include "base/utf8.h"

namespace thence::output {
namespace {

bool looks_like_location(std::string_view name) {
  const std::size_t mark = name.rfind('#');
  return mark != std::string_view::npos && base::is_digits(name.substr(mark + 1));
}

}  // namespace

const std::string& NodeLocations::graph(onnx::NodeId node) {
  if (const onnx::GraphId graph = model_.node(node).graph(); graph != graph_) {
    graph_ = graph;
    label_ = model_.graph_label(graph);
  }
  return label_;
}

std::string NodeLocations::of(onnx::NodeId node) {
  return graph(node) + "#" + std::to_string(model_.node(node).index());
}

NodeNames::NodeNames(const onnx::Model& model)
    : model_(model), locations_(model), named_(model.node_count(), false) {
  const auto name_of = [&](std::uint32_t id) { return model_.node(id).name(); };
  base::TextIndex first;
  first.reserve(model.node_count());
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const std::string_view name = name_of(id);
    if (name.empty()) continue;
    if (const std::uint32_t other = first.find_or_add(name, id, name_of); other != id)
      named_[other] = false;
    else
      named_[id] = !looks_like_location(name) && base::is_utf8(name);
  }
}

std::string NodeNames::of(onnx::NodeId node) {
  return named_[node] ? std::string(model_.node(node).name()) : locations_.of(node);
}

}  // namespace thence::output
