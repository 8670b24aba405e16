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
class Reach {
 public:
  Reach(const MainGraph& graph, const Cut& cut) : depth_(graph.model().value_count(), onnx::none) {
    for (NodeId id = 0; id < graph.size(); ++id)
      graph.each_read(id, [&](ValueId value) {
        const NodeId from = graph.writer(value);
        if (from == onnx::none || depth_[value] == 0) return;
        GroupId a = cut.holding[from], b = cut.holding[id];
        while (a != b) {
          GroupId& deeper = cut.groups[a].depth >= cut.groups[b].depth ? a : b;
          deeper = cut.groups[deeper].around;
        }
        depth_[value] = std::min(depth_[value], cut.groups[a].depth);
      });
    for (const ValueId value : graph.model().graphs().front().outputs) depth_[value] = 0;
  }
  bool leaves(ValueId value, std::uint32_t depth) const { return depth_[value] < depth; }

 private:
  std::vector<std::uint32_t> depth_;
};

// Processes groups from the innermost outwards. The operations of a group are encoded as a list of numbers,
// in which values are numbered by first use. Two groups do the same if their lists are equal.
class BodyFinder {
 public:
  BodyFinder(const semantics::Map& map, const MainGraph& graph, const Places& places, const Cut& cut)
      : map_(map),
        graph_(graph),
        places_(places),
        cut_(cut),
        reach_(graph, cut),
        met_by_(graph.model().value_count(), onnx::none),
        number_(graph.model().value_count(), 0) {
    bodies_.of.resize(cut.groups.size());
  }

  Bodies run() {
    for (auto group = static_cast<GroupId>(cut_.groups.size()); group-- > 0;) {
      take_steps(group);
      find(group);
    }
    put_in_order();
    return std::move(bodies_);
  }

 private:
  enum Mark : char32_t { a_node = 1, a_call, reads, writes, other_field, comes_out, never_shared };

  // Outer functions come first, then those with the first nodes in the file.
  void put_in_order() {
    std::vector<Function>& functions = bodies_.functions;
    for (Function& function : functions) std::reverse(function.groups.begin(), function.groups.end());
    std::sort(functions.begin(), functions.end(),
              [](const Function& a, const Function& b) { return a.groups.front() < b.groups.front(); });
    for (FunctionId id = 0; id < functions.size(); ++id)
      for (const GroupId group : functions[id].groups) bodies_.of[group].function = id;
  }

  void take_steps(GroupId group) {
    std::vector<Step>& steps = bodies_.of[group].steps;
    for (const Step& step : cut_.groups[group].steps) {
      if (!step.is_group || bodies_.of[step.index].function != onnx::none) {
        steps.push_back(step);
      } else {
        const std::vector<Step>& inner = bodies_.of[step.index].steps;
        steps.insert(steps.end(), inner.begin(), inner.end());
      }
    }
  }

  void find(GroupId group) {
    Body& body = bodies_.of[group];
    group_ = group;
    text_.assign(1, label(places_.calls[cut_.groups[group].call].module));
    for (const Step& step : body.steps) {
      if (step.is_group)
        add_call(bodies_.of[step.index]);
      else
        add_node(step.index);
    }
    if (group == 0 || body.outputs.empty()) return;
    text_.push_back(comes_out);
    for (const ValueId value : body.outputs) text_.push_back(number_[value]);
    const auto [known, fresh] =
        functions_.try_emplace(text_, static_cast<FunctionId>(bodies_.functions.size()));
    if (fresh) bodies_.functions.emplace_back();
    body.function = known->second;
    bodies_.functions[body.function].groups.push_back(group);
  }

  void read(ValueId value) {
    if (value != onnx::none) meet(value, true);
    text_.push_back(reads);
    text_.push_back(value == onnx::none ? onnx::none : number_[value]);
  }
  void write(ValueId value) {
    if (value != onnx::none) meet(value, false);
    text_.push_back(writes);
    text_.push_back(value == onnx::none ? onnx::none : number_[value]);
    if (value != onnx::none && reach_.leaves(value, cut_.groups[group_].depth))
      bodies_.of[group_].outputs.push_back(value);
  }
  // A value that is read before this group writes it is an input.
  void meet(ValueId value, bool from_outside) {
    if (met_by_[value] == group_) return;
    Body& body = bodies_.of[group_];
    met_by_[value] = group_;
    number_[value] = static_cast<std::uint32_t>(body.values.size());
    body.values.push_back(value);
    if (from_outside) body.inputs.push_back(value);
  }

  void add_call(const Body& inner) {
    text_.push_back(a_call);
    text_.push_back(inner.function);
    for (const ValueId value : inner.inputs) read(value);
    for (const ValueId value : inner.outputs) write(value);
  }

  // Encodes everything of a node except its name, its value names and its metadata.
  void add_node(NodeId id) {
    const onnx::Node node = graph_.model().node(id);
    text_.push_back(a_node);
    std::size_t inputs = 0, outputs = 0;
    for (wire::Fields field(node.bytes()); field.next();) {
      const std::uint32_t tag = field.tag();
      if (tag == bytes_tag(NodeField::input)) {
        read(node.inputs()[inputs++]);
      } else if (tag == bytes_tag(NodeField::output)) {
        write(node.outputs()[outputs++]);
      } else if (tag != bytes_tag(NodeField::name) && tag != bytes_tag(NodeField::doc_string) &&
                 tag != bytes_tag(NodeField::metadata_props)) {
        text_.push_back(other_field);
        text_.push_back(
            field_number({field.start(), static_cast<std::size_t>(field.rest() - field.start())}));
      }
    }
    if (!graph_.holds_bodies(id)) return;
    // A node with bodies is never shared, because its bodies refer to values by name.
    graph_.each_read(id, [&](ValueId value) { meet(value, true); });
    text_.push_back(never_shared);
    text_.push_back(group_);
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
  const Places& places_;
  const Cut& cut_;
  const Reach reach_;
  Bodies bodies_;
  GroupId group_ = 0;
  std::u32string text_;
  std::vector<GroupId> met_by_;        // by value: the last group that used it
  std::vector<std::uint32_t> number_;  // the number of the value in that group
  std::unordered_map<std::u32string, FunctionId> functions_;
  std::unordered_map<std::string, char32_t> labels_;
  std::unordered_map<std::string_view, char32_t> fields_;
};

}  // namespace

Bodies find_bodies(const semantics::Map& map, const MainGraph& graph, const Places& places, const Cut& cut) {
  return BodyFinder(map, graph, places, cut).run();
}

}  // namespace thence::edit
