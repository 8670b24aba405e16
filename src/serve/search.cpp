#include "serve/search.h"

#include <algorithm>
#include <functional>
#include <string>

#include "query/selector.h"
#include "serve/summaries.h"

namespace thence::serve {
namespace {

using semantics::Map;

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

class TextMatcher {
 public:
  explicit TextMatcher(std::string_view text) : text_(text) {
    std::transform(text_.begin(), text_.end(), text_.begin(), to_lower);
  }
  bool matches(std::string_view where) const {
    return std::search(where.begin(), where.end(), text_.begin(), text_.end(),
                       [](char a, char b) { return to_lower(a) == b; }) != where.end();
  }

 private:
  std::string text_;
};

// Each value is searched once, however many nodes read it.
std::vector<bool> matching_values(const onnx::Model& model, const TextMatcher& matcher) {
  std::vector<bool> matching(model.value_count());
  for (onnx::ValueId value = 0; value < model.value_count(); ++value)
    matching[value] = matcher.matches(model.value_name(value));
  return matching;
}

std::vector<bool> matching_modules(const Map& map, const TextMatcher& matcher) {
  std::vector<bool> matching(map.tree().size());
  for (modules::ModuleId id = 0; id < matching.size(); ++id) {
    const semantics::Role role = map.role(id);
    matching[id] = matcher.matches(map.tree()[id].path) || matcher.matches(map.tree()[id].class_name) ||
                   matcher.matches(role.type) || matcher.matches(role.component);
  }
  return matching;
}

}  // namespace

std::vector<onnx::NodeId> find_text(const Map& map, std::string_view text) {
  const TextMatcher matcher(text);
  const std::vector<bool> values = matching_values(map.model(), matcher),
                          modules = matching_modules(map, matcher);
  const auto is_match = [&](onnx::ValueId value) { return value != onnx::none && values[value]; };
  std::vector<onnx::NodeId> found;
  for (onnx::NodeId id = 0; id < map.model().node_count(); ++id) {
    const onnx::Node node = map.model().node(id);
    const auto inputs = node.inputs(), outputs = node.outputs();
    if ((map.answer(id).known() && modules[map.answer(id).module]) || matcher.matches(node.op_type()) ||
        matcher.matches(node.name()) || std::any_of(inputs.begin(), inputs.end(), is_match) ||
        std::any_of(outputs.begin(), outputs.end(), is_match))
      found.push_back(id);
  }
  return found;
}

Result<std::vector<onnx::NodeId>> find_where(const Map& map, std::string_view expression) {
  query::Selectors wanted;
  wanted.where = expression;
  const Result<query::Selector> selector = query::Selector::make(wanted);
  if (!selector) return selector.error();
  Result<std::vector<onnx::NodeId>> found = selector->run(map);
  if (!found && found.error().code == query::no_match_code) return std::vector<onnx::NodeId>();
  return found;
}

std::vector<onnx::NodeId> nodes_to_review(const Map& map) {
  std::vector<onnx::NodeId> found;
  for (const std::string_view level : {"none", "low"})
    for (onnx::NodeId id = 0; id < map.model().node_count(); ++id)
      if (semantics::level_of(map.answer(id)) == level) found.push_back(id);
  return found;
}

std::vector<onnx::NodeId> reachable(const Map& map, const dataflow::Uses& uses, onnx::NodeId node,
                                    Direction direction) {
  const onnx::Model& model = map.model();
  std::vector<bool> is_reached(model.node_count());
  std::vector<onnx::NodeId> reached;
  const auto reach = [&](onnx::NodeId id) {
    if (is_reached[id]) return;
    is_reached[id] = true;
    reached.push_back(id);
  };
  reach(node);
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const onnx::Node at = model.node(reached[next]);
    for (const onnx::ValueId value : direction == Direction::upstream ? at.inputs() : at.outputs()) {
      if (value == onnx::none) continue;
      if (direction == Direction::downstream) {
        for (const onnx::NodeId use : uses.of(value)) reach(use);
      } else if (const onnx::Producer producer = model.producer(value);
                 producer.kind == onnx::Producer::Kind::node) {
        reach(producer.index);
      }
    }
  }
  return reached;
}

}  // namespace thence::serve
