#include "edit/bodies.h"

#include <algorithm>
#include <unordered_map>

#include "edit/fold_names.h"
#include "onnx/layout.h"
#include "wire/fields.h"

namespace thence::edit {
namespace {

using modules::ModuleId;
using onnx::NodeField;
using onnx::NodeId;
using onnx::ValueId;
using wire::bytes_tag;

// For each value, the depth of the innermost group that contains all its consumers and its producer. The
// value is an output of all deeper groups around its producer.
class EscapeDepths {
 public:
  EscapeDepths(const MainGraph& graph, const Partition& partition)
      : depth_(graph.model().value_count(), onnx::none) {
    for (NodeId id = 0; id < graph.size(); ++id)
      graph.for_each_read(id, [&](ValueId value) {
        const NodeId from = graph.producer(value);
        if (from == onnx::none || depth_[value] == 0) return;
        GroupId a = partition.node_groups[from], b = partition.node_groups[id];
        while (a != b) {
          GroupId& deeper = partition.groups[a].depth >= partition.groups[b].depth ? a : b;
          deeper = partition.groups[deeper].enclosing;
        }
        depth_[value] = std::min(depth_[value], partition.groups[a].depth);
      });
    for (const ValueId value : graph.model().graphs().front().outputs) depth_[value] = 0;
  }
  bool escapes(ValueId value, std::uint32_t depth) const { return depth_[value] < depth; }

 private:
  std::vector<std::uint32_t> depth_;
};

// Processes groups from the innermost outwards. The operations of a group are encoded as a list of numbers,
// in which values are numbered by first use. Two groups do the same if their lists are equal.
class BodyFinder {
 public:
  BodyFinder(const semantics::Map& map, const MainGraph& graph, const CallTree& call_tree,
             const Partition& partition)
      : map_(map),
        graph_(graph),
        call_tree_(call_tree),
        partition_(partition),
        escapes_(graph, partition),
        last_user_(graph.model().value_count(), onnx::none),
        number_(graph.model().value_count(), 0) {
    bodies_.by_group.resize(partition.groups.size());
  }

  Bodies run() {
    for (auto group = static_cast<GroupId>(partition_.groups.size()); group-- > 0;) {
      inline_unfolded_steps(group);
      find(group);
    }
    sort_functions();
    return std::move(bodies_);
  }

 private:
  enum Mark : char32_t {
    node_mark = 1,
    call_mark,
    input_mark,
    output_mark,
    field_mark,
    outputs_mark,
    unique_mark
  };

  // Outer functions come first, then those with the first nodes in the file.
  void sort_functions() {
    std::vector<Function>& functions = bodies_.functions;
    for (Function& function : functions) std::reverse(function.groups.begin(), function.groups.end());
    std::sort(functions.begin(), functions.end(),
              [](const Function& a, const Function& b) { return a.groups.front() < b.groups.front(); });
    for (FunctionId id = 0; id < functions.size(); ++id)
      for (const GroupId group : functions[id].groups) bodies_.by_group[group].function = id;
  }

  void inline_unfolded_steps(GroupId group) {
    std::vector<GroupStep>& steps = bodies_.by_group[group].steps;
    for (const GroupStep& step : partition_.groups[group].steps) {
      if (!step.is_group || bodies_.by_group[step.index].function != onnx::none) {
        steps.push_back(step);
      } else {
        const std::vector<GroupStep>& inner = bodies_.by_group[step.index].steps;
        steps.insert(steps.end(), inner.begin(), inner.end());
      }
    }
  }

  void find(GroupId group) {
    Body& body = bodies_.by_group[group];
    group_ = group;
    signature_.assign(1, label(call_tree_.calls[partition_.groups[group].call].module));
    for (const GroupStep& step : body.steps) {
      if (step.is_group)
        add_call(bodies_.by_group[step.index]);
      else
        add_node(step.index);
    }
    if (group == 0 || body.outputs.empty()) return;
    signature_.push_back(outputs_mark);
    for (const ValueId value : body.outputs) signature_.push_back(number_[value]);
    const auto [known, is_new] =
        functions_.try_emplace(signature_, static_cast<FunctionId>(bodies_.functions.size()));
    if (is_new) bodies_.functions.emplace_back();
    body.function = known->second;
    bodies_.functions[body.function].groups.push_back(group);
  }

  void read(ValueId value) {
    if (value != onnx::none) number_value(value, true);
    signature_.push_back(input_mark);
    signature_.push_back(value == onnx::none ? onnx::none : number_[value]);
  }
  void write(ValueId value) {
    if (value != onnx::none) number_value(value, false);
    signature_.push_back(output_mark);
    signature_.push_back(value == onnx::none ? onnx::none : number_[value]);
    if (value != onnx::none && escapes_.escapes(value, partition_.groups[group_].depth))
      bodies_.by_group[group_].outputs.push_back(value);
  }
  // A value that is read before this group writes it is an input.
  void number_value(ValueId value, bool from_outside) {
    if (last_user_[value] == group_) return;
    Body& body = bodies_.by_group[group_];
    last_user_[value] = group_;
    number_[value] = static_cast<std::uint32_t>(body.values.size());
    body.values.push_back(value);
    if (from_outside) body.inputs.push_back(value);
  }

  void add_call(const Body& inner) {
    signature_.push_back(call_mark);
    signature_.push_back(inner.function);
    for (const ValueId value : inner.inputs) read(value);
    for (const ValueId value : inner.outputs) write(value);
  }

  // Encodes everything of a node except its name, its value names and its metadata.
  void add_node(NodeId id) {
    const onnx::Node node = graph_.model().node(id);
    signature_.push_back(node_mark);
    std::size_t inputs = 0, outputs = 0;
    for (wire::Fields field(node.bytes()); field.next();) {
      const std::uint32_t tag = field.tag();
      if (tag == bytes_tag(NodeField::input)) {
        read(node.inputs()[inputs++]);
      } else if (tag == bytes_tag(NodeField::output)) {
        write(node.outputs()[outputs++]);
      } else if (tag != bytes_tag(NodeField::name) && tag != bytes_tag(NodeField::doc_string) &&
                 tag != bytes_tag(NodeField::metadata_props)) {
        signature_.push_back(field_mark);
        signature_.push_back(
            field_number({field.start(), static_cast<std::size_t>(field.rest() - field.start())}));
      }
    }
    if (!graph_.has_bodies(id)) return;
    // A node with bodies is never shared, because its bodies refer to values by name.
    graph_.for_each_read(id, [&](ValueId value) { number_value(value, true); });
    signature_.push_back(unique_mark);
    signature_.push_back(group_);
  }

  char32_t label(ModuleId module) {
    const std::string_view class_name = map_.tree()[module].class_name;
    return labels_
        .try_emplace(class_name.empty() ? label_of(map_.tree(), module) : std::string(class_name),
                     static_cast<char32_t>(labels_.size()))
        .first->second;
  }
  char32_t field_number(std::string_view bytes) {
    return fields_.try_emplace(bytes, static_cast<char32_t>(fields_.size())).first->second;
  }

  const semantics::Map& map_;
  const MainGraph& graph_;
  const CallTree& call_tree_;
  const Partition& partition_;
  const EscapeDepths escapes_;
  Bodies bodies_;
  GroupId group_ = 0;
  std::u32string signature_;
  std::vector<GroupId> last_user_;     // by value: the last group that used it
  std::vector<std::uint32_t> number_;  // the number of the value in that group
  std::unordered_map<std::u32string, FunctionId> functions_;
  std::unordered_map<std::string, char32_t> labels_;
  std::unordered_map<std::string_view, char32_t> fields_;
};

}  // namespace

Bodies find_bodies(const semantics::Map& map, const MainGraph& graph, const CallTree& call_tree,
                   const Partition& partition) {
  return BodyFinder(map, graph, call_tree, partition).run();
}

}  // namespace thence::edit
