// Steps that do nothing: a Slice of all, a Pad of nothing, a Concat with what is empty. Optimisers that know
// the sizes leave them out.
#include <algorithm>

#include "dataflow/operator_traits.h"
#include "shapes/infer.h"
#include "transfer/net.h"

namespace thence::transfer {
namespace {

using dataflow::has_trait;
using dataflow::Trait;

// As far as every size of both is known.
bool same_shape(const shapes::Inferred& known, onnx::ValueId one, onnx::ValueId other) {
  const shapes::Shape a = known.values.shape(one), b = known.values.shape(other);
  const auto sizes = a.sizes(), others = b.sizes();
  return a.known() && b.known() &&
         std::equal(sizes.begin(), sizes.end(), others.begin(), others.end(),
                    [](const shapes::Size& x, const shapes::Size& y) { return x.known() && x == y; });
}

class Idle {
 public:
  explicit Idle(const shapes::Inferred& known) : known_(known) {}

  // The input that a node gives as it is; none when that is not certain.
  onnx::ValueId handed_on(const onnx::Node& node) const {
    const auto inputs = node.inputs();
    const onnx::ValueId made = node.outputs()[0];
    if (node.op_type() == "Concat") return all_but_empty(inputs, made);
    const onnx::ValueId read = inputs[0];
    if (!same_shape(known_, made, read)) return none;
    if (node.op_type() == "Slice" && !all(node, 4, "steps", 1)) return none;  // backwards
    if (node.op_type() == "Pad" && !all(node, 1, "pads", 0)) return none;     // moved
    return read;
  }

 private:
  onnx::ValueId all_but_empty(std::span<const onnx::ValueId> inputs, onnx::ValueId made) const {
    onnx::ValueId whole = none;
    for (const onnx::ValueId each : inputs) {
      const shapes::Shape shape = each == none ? shapes::Shape() : known_.values.shape(each);
      const auto sizes = shape.sizes();
      if (!shape.known()) return none;
      if (std::any_of(sizes.begin(), sizes.end(), [](const shapes::Size& size) { return size.is(0); }))
        continue;
      if (whole != none || !same_shape(known_, made, each)) return none;
      whole = each;
    }
    return whole;
  }

  // Whether an input of a node is left out or holds this number only.
  bool all(const onnx::Node& node, std::size_t input, std::string_view attribute, std::int64_t number) const {
    if (const auto held = node.attribute(attribute))  // of older versions
      return std::all_of(held->ints.begin(), held->ints.end(), [&](std::int64_t n) { return n == number; });
    if (node.inputs().size() <= input || node.inputs()[input] == none) return true;
    const shapes::Content content = known_.values.content(node.inputs()[input]);
    return content && std::all_of(content->begin(), content->end(),
                                  [&](const shapes::Size& size) { return size.is(number); });
  }

  const shapes::Inferred& known_;
};

}  // namespace

const shapes::Inferred& Net::shapes() const {
  if (!shapes_) shapes_ = std::make_shared<const shapes::Inferred>(shapes::infer(*model_));
  return *shapes_;
}

bool Net::is_idle(onnx::NodeId view) const {
  const onnx::Node node = model_->node(view);
  if (!has_trait(node, Trait::noop_view)) return false;
  return !node.inputs().empty() && node.inputs()[0] != none && !node.outputs().empty() &&
         node.outputs()[0] != none && same_shape(shapes(), node.inputs()[0], node.outputs()[0]);
}

// The nodes that may do nothing, by operator.
std::map<std::string_view, std::vector<StepId>> Net::may_be_idle() const {
  std::map<std::string_view, std::vector<StepId>> found;
  for (StepId id = 0; id < steps_.size(); ++id) {
    const Step& step = steps_[id];
    if (aside_[step.node]) continue;
    const onnx::Node node = model_->node(step.node);
    if (has_trait(node, Trait::may_be_noop) && node.outputs().size() == 1 && node.outputs()[0] == step.output)
      found[node.op_type()].push_back(id);
  }
  return found;
}

void Net::find_idle(const Net& descendant) {
  const auto theirs = descendant.may_be_idle();
  for (const auto& [op, steps] : may_be_idle()) {
    const auto left = theirs.find(op);
    if (left != theirs.end() && left->second.size() >= steps.size()) continue;
    for (const StepId id : steps) {
      const onnx::Node node = model_->node(steps_[id].node);
      if (node.inputs().empty() || node.inputs().size() > most_inputs || node.inputs()[0] == none) continue;
      const onnx::ValueId value = Idle(shapes()).handed_on(node);
      if (value == none) continue;
      const StepId maker = makers_[roots_[value]];
      if (maker == none || maker < id) steps_[id].hands_on = roots_[value];  // no circles
    }
  }
}

}  // namespace thence::transfer
