#include "transfer/net.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text_hash.h"
#include "dataflow/operator_traits.h"
#include "dataflow/primitive_ops.h"
#include "shapes/order.h"
#include "transfer/mix.h"

namespace thence::transfer {
namespace {

using dataflow::has_trait;
using dataflow::Trait;

std::uint64_t hash_of(std::string_view text) {
  return base::text_hash(text, 0x7468656e6365);  // the same in every run: answers must be
}

// Numbers and texts of an attribute; graphs and tensors are told by other means.
std::uint64_t hash_of(const onnx::AttributeView& attribute) {
  std::uint64_t hash = hash_of(attribute.name);
  hash = mixed(hash, static_cast<std::uint64_t>(attribute.i));
  hash = mixed(hash, static_cast<std::uint64_t>(attribute.f * 65536.0f));
  hash = mixed(hash, hash_of(attribute.s));
  for (const std::int64_t each : attribute.ints) hash = mixed(hash, static_cast<std::uint64_t>(each));
  return hash;
}

// What is multiplied, divided or added; none for other operators.
std::pair<onnx::ValueId, onnx::ValueId> factors(const onnx::Node& node) {
  const auto inputs = node.inputs();
  if (node.op_type() == "QLinearMul" && inputs.size() > 3) return {inputs[0], inputs[3]};
  if (has_trait(node, Trait::scales) && inputs.size() == 2) return {inputs[0], inputs[1]};
  return {none, none};
}

std::optional<Constant> constant_in(const onnx::Node& node, const Glance* glance) {
  if (node.op_type() != "Constant") return std::nullopt;
  std::optional<Constant> found;
  node.each_attribute([&](const onnx::AttributeView& attribute) {
    if (attribute.has_tensor)
      found = constant_of(attribute.tensor, nullptr, glance);
    else if (attribute.name == "value_int")
      found = constant_of(std::vector{attribute.i});
    else if (attribute.name == "value_float")
      found = constant_of(std::vector{attribute.f});
    else if (attribute.name == "value_ints")
      found = constant_of(attribute.ints);
    else if (attribute.name == "value_floats")
      found = constant_of(attribute.floats);
    else
      found = Constant();
  });
  return found ? found : Constant();
}

}  // namespace

std::uint32_t Operators::number(std::string_view name) {
  return numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(numbers_.size())).first->second;
}

Net::Net(const onnx::Model& model, Operators& operators, Likeness* ancestor, const Glance* glance)
    : model_(&model),
      files_(model),
      roots_(model.value_count()),
      forms_(model.value_count(), 0),
      scales_(model.value_count(), false),
      cut_(model.value_count(), false),
      single_(model.value_count(), Single::no),
      makers_(model.value_count(), none),
      constant_of_(model.value_count(), none),
      views_(model.node_count(), false),
      fixed_(model.node_count(), false),
      aside_(model.node_count(), false),
      ancestor_(ancestor),
      glance_(glance) {
  for (onnx::ValueId value = 0; value < roots_.size(); ++value) roots_[value] = value;
  read_constants();
  shapes::Order order(model);
  for (const onnx::Graph& graph : model.graphs())
    order.each(graph, [&](onnx::NodeId id) { order_.push_back(id); });
  for (const onnx::NodeId id : order_) read_node(id, operators);
  find_readers();
}

void Net::read_constants() {
  for (const onnx::Initializer& initializer : model_->initializers()) {
    if (initializer.value != none)
      add_constant(initializer.value, initializer.sparse
                                          ? Constant()
                                          : constant_of(onnx::Pieces{initializer.bytes}, &files_, glance_));
  }
}

void Net::add_constant(Root root, Constant constant) {
  if (ancestor_ != nullptr && constant.may_be_weight() && !ancestor_->has(constant.content))
    if (const Likeness::Found found = ancestor_->of(constant); found.content != 0) {
      constant.content = found.content;
      constant.factor = found.factor;
      constant.rescaled = found.rescaled;
      has_rescaled_ |= found.rescaled;
      constant.changed = true;
    }
  constant_of_[root] = static_cast<std::uint32_t>(constants_.size());
  constants_.push_back(constant);
}

Root Net::fresh() {
  makers_.push_back(none);
  constant_of_.push_back(none);
  return static_cast<Root>(makers_.size() - 1);
}

// A float of which a rewrite may make any other, or that changes nothing where it is added.
bool Net::is_number(onnx::ValueId value, const onnx::Node& reader) const {
  if (single_[value] == Single::real) return reader.op_type() != "Add";  // optimisers make a number of it
  const Constant* const number = constant(roots_[value]);
  if (number == nullptr || !number->scalar) return false;
  if (reader.op_type() == "Add") return number->is_float && *number->scalar == 0;
  if (number->is_float || reader.op_type() == "QLinearMul") return true;
  const onnx::Producer producer = model_->producer(value);  // it was quantised
  return producer.kind == onnx::Producer::Kind::node &&
         model_->node(producer.index).op_type() == "DequantizeLinear";
}

Net::Single Net::single(onnx::ValueId value) const {
  if (value == none) return Single::no;
  const Constant* const number = constant(roots_[value]);
  if (number == nullptr) return single_[value];
  return !number->scalar ? Single::no : number->is_float ? Single::real : Single::integer;
}

// Whether a node that works on sizes gives one number.
Net::Single Net::single_of(const onnx::Node& node) const {
  const auto inputs = node.inputs();
  const std::string_view op = node.op_type();
  if (op == "Size") return Single::integer;
  if (inputs.empty() || inputs.size() > most_inputs) return Single::no;
  if (op == "Gather") return inputs.size() == 2 ? single(inputs[1]) : Single::no;
  if (op == "Slice") {
    const std::vector<std::int64_t> starts = starts_of(node);
    const Constant* const end =
        inputs.size() > 2 && inputs[2] != none ? constant(roots_[inputs[2]]) : nullptr;
    const bool one = starts.size() == 1 && end != nullptr && end->scalar &&
                     *end->scalar == static_cast<double>(starts[0] + 1);
    return one ? Single::integer : Single::no;
  }
  const dataflow::OperatorTraits traits = dataflow::traits_of(op);
  if (op == "Expand" || (!dataflow::is_view(traits) && !traits.has(Trait::elementwise))) return Single::no;
  Single made = Single::integer;
  for (const onnx::ValueId value : dataflow::is_view(traits) ? inputs.first(1) : inputs) {
    if (single(value) == Single::no) return Single::no;
    if (single(value) == Single::real) made = Single::real;
  }
  if (const auto to = op == "Cast" ? node.attribute("to") : std::nullopt)
    made = onnx::is_float(static_cast<onnx::DataType>(to->i)) ? Single::real : Single::integer;
  return made;
}

// What an operation makes of constants: a number of numbers; others are told by how they are computed.
Constant Net::computed(const onnx::Node& node) const {
  Constant made;
  bool all_numbers = has_trait(node, Trait::elementwise), all_known = true;
  std::uint64_t content = hash_of(node.op_type());
  for (const onnx::ValueId value : node.inputs()) {
    const Constant* const read = value == none ? nullptr : constant(roots_[value]);
    all_numbers &= read != nullptr && read->scalar && read->is_float;
    if (read == nullptr) continue;
    all_known &= read->content != 0;
    content = mixed(content, read->content);
    made.is_float |= read->is_float;
    made.elements = std::max(made.elements, read->elements);
  }
  if (all_known) made.content = content;
  if (!all_numbers) return made;
  made.is_float = true;
  made.elements = 1;
  made.scalar = std::numeric_limits<double>::quiet_NaN();  // some number
  return made;
}

// Whether a node only gives its first input another form, and then its first output is that input's root.
bool Net::see_through(const onnx::Node& node) {
  const std::string_view op = node.op_type();
  const auto inputs = node.inputs(), outputs = node.outputs();
  if (inputs.empty() || outputs.empty() || inputs[0] == none || outputs[0] == none) return false;
  const bool all_of_it =
      (has_trait(op, Trait::variadic) && inputs.size() == 1) || (op == "Split" && outputs.size() == 1);
  const dataflow::OperatorTraits traits =
      all_of_it ? dataflow::OperatorTraits(Trait::keeps_elements) : dataflow::traits_of(op);
  bool is_view = dataflow::is_view(traits);
  if (op == "DynamicQuantizeLinear" && outputs.size() > 1 && outputs[1] != none) scales_[outputs[1]] = true;
  onnx::ValueId through = inputs[0];
  const auto [one, other] = factors(node);
  if (!is_view && one != none && other != none) {
    for (const auto& [factor, rest] : {std::pair(other, one), std::pair(one, other)}) {
      if (scales_[factor]) {
        if (constant(roots_[rest]) != nullptr) {
          scales_[outputs[0]] = true;  // one scale times another
        } else {
          is_view = true;
          through = rest;
        }
        break;
      }
      if (!is_number(factor, node)) continue;
      if (op == "Div" && factor == one) continue;
      is_view = true;
      through = rest;
      break;
    }
  }
  if (!is_view) return false;
  if (has_trait(op, Trait::may_clamp) && roots_[through] < cut_.size()) cut_[roots_[through]] = true;
  roots_[outputs[0]] = roots_[through];
  scales_[outputs[0]] = scales_[through];
  forms_[outputs[0]] = traits.has(Trait::reshapes) ? mixed(forms_[through], hash_of(op)) : forms_[through];
  return true;
}

// Whether on constants or sizes alone, and whether it makes one number of these.
void Net::tell_what_it_works_on(const onnx::Node& node) {
  const onnx::NodeId id = node.id();
  const auto inputs = node.inputs(), outputs = node.outputs();
  fixed_[id] = !inputs.empty() && std::all_of(inputs.begin(), inputs.end(), [&](onnx::ValueId value) {
    return value == none || constant(roots_[value]) != nullptr;
  });
  aside_[id] = has_trait(node, Trait::reads_shape) || fixed_[id] ||
               (!inputs.empty() && std::all_of(inputs.begin(), inputs.end(), [&](onnx::ValueId value) {
                 if (value == none) return true;
                 const onnx::Producer producer = model_->producer(value);
                 return producer.kind == onnx::Producer::Kind::initializer ||
                        (producer.kind == onnx::Producer::Kind::node && aside_[producer.index]);
               }));
  if (aside_[id] && !fixed_[id] && outputs.size() == 1 && outputs[0] != none)
    single_[outputs[0]] = single_of(node);
}

void Net::read_node(onnx::NodeId id, Operators& operators) {
  const onnx::Node node = model_->node(id);
  const std::string_view op = node.op_type();
  const auto node_inputs = node.inputs(), outputs = node.outputs();
  if (const auto constant = constant_in(node, glance_); constant && !outputs.empty() && outputs[0] != none) {
    fixed_[id] = aside_[id] = true;
    add_constant(outputs[0], *constant);
    return;
  }
  tell_what_it_works_on(node);
  if (ancestor_ != nullptr) unpack(node);
  views_[id] = see_through(node);
  if (views_[id] || see_apart(node, id, operators)) return;
  const bool asks_for_shape = has_trait(op, Trait::reads_shape);
  std::uint64_t detail = 0;
  node.each_attribute([&](const onnx::AttributeView& attribute) { detail += hash_of(attribute); });
  Root before = none;
  const std::vector<dataflow::PrimitiveOp> parts = dataflow::primitives_of(node);
  const bool slices = op == "Split";  // every output is an operation of its own
  const bool cuts = cuts_out(node);
  const std::vector<std::int64_t> starts = starts_of(node);
  const Constant made = fixed_[id] ? computed(node) : Constant();
  for (const dataflow::PrimitiveOp& part : parts) {
    const bool last = &part == &parts.back();
    const std::string_view called = cuts ? "Slice" : part.op;
    Step step{.op = operators.number(called), .node = id, .detail = last ? detail : 0};
    step.commutes = has_trait(part.op, Trait::commutative);
    step.first_input = static_cast<std::uint32_t>(inputs_.size());
    for (std::size_t i = 0; i < part.input_count() && node_inputs.size() <= most_inputs; ++i) {
      const int place = part.input(i);
      if (place == dataflow::PrimitiveOp::previous) {
        inputs_.push_back(before);
        continue;
      }
      const onnx::ValueId value = node_inputs[static_cast<std::size_t>(place)];
      if (value == none) continue;
      const Root root = roots_[value];
      const Constant* const number = constant(root);
      if (number != nullptr && !number->is_float && !number->may_be_weight()) {  // sizes, axes, indices
        step.detail = mixed(step.detail + static_cast<std::uint64_t>(place), number->content);
        continue;
      }
      if (asks_for_shape) step.detail = mixed(step.detail, forms_[value]);
      inputs_.push_back(root);
    }
    step.input_count = static_cast<std::uint32_t>(inputs_.size()) - step.first_input;
    const std::uint64_t detail_of_all = step.detail;
    const Root on_the_way = before;
    const std::size_t most = std::min(most_inputs, most_asked / std::max(step.input_count, 1u));
    const std::size_t count = last ? std::clamp<std::size_t>(outputs.size(), 1, most) : 1;
    for (std::size_t place = 0; place < count; ++place) {
      step.place = slices ? 0 : static_cast<std::uint32_t>(place);
      if (slices) step.detail = mixed(detail_of_all, place);
      step.start = place < starts.size() ? starts[place] : -1;
      if (last && place < outputs.size() && outputs[place] == none) continue;
      if (last && static_cast<int>(place) == dataflow::intermediate_output(op) && parts.size() > 1) {
        roots_[outputs[place]] = on_the_way;
        continue;
      }
      step.output = last && place < outputs.size() ? outputs[place] : fresh();
      makers_[step.output] = static_cast<StepId>(steps_.size());
      if (fixed_[id]) add_constant(step.output, made.told_apart(mixed(step.place, step.detail)));
      if (has_trait(op, Trait::may_clamp) && step.output < cut_.size()) cut_[step.output] = true;
      steps_.push_back(step);
      before = step.output;
    }
  }
}

void Net::data_inputs(const Step& step, const std::unordered_set<std::uint64_t>& known,
                      std::vector<Root>& data) const {
  data.clear();
  for (const Root root : inputs(step)) {
    const Constant* const fixed = constant(root);
    const bool telling = fixed != nullptr ? known.contains(fixed->content)
                                          : makers_[root] == none || !aside_[steps_[makers_[root]].node];
    if (telling) data.push_back(root);
  }
}

void Net::find_readers() {
  readers_ = {makers_.size(), [this](const auto& use) {
                for (StepId id = 0; id < steps_.size(); ++id)
                  if (steps_[id].place == 0)
                    for (const Root root : inputs(steps_[id])) use(root, id);
              }};
}

bool Net::serves(onnx::NodeId id) const {
  if (aside_[id] || !views_[id]) return aside_[id];
  return constant(roots_[model_->node(id).outputs()[0]]) != nullptr;
}

double Net::factor(onnx::NodeId id) const {
  if (has_trait(model_->node(id), Trait::scaled_product))
    if (const auto alpha = model_->node(id).attribute("alpha"); alpha && alpha->f != 1) return alpha->f;
  for (const onnx::ValueId value : model_->node(id).inputs())
    if (const Constant* const weight = value == none ? nullptr : constant(roots_[value]);
        weight != nullptr && weight->factor != 1)
      return weight->factor;
  return 1;
}

double Net::number_in(onnx::NodeId id) const {
  const onnx::Node node = model_->node(id);
  const auto inputs = node.inputs();
  for (std::size_t i = 0; i < inputs.size() && i < 2; ++i)
    if (const Constant* const number = inputs[i] == none ? nullptr : constant(roots_[inputs[i]]);
        number != nullptr && number->scalar && *number->scalar != 0)
      return node.op_type() == "Div" ? 1 / *number->scalar : *number->scalar;
  return std::numeric_limits<double>::quiet_NaN();
}

bool called_alike(const Net& one, Root of_one, const Net& other, Root of_other) {
  return of_one < one.model().value_count() && of_other < other.model().value_count() &&
         one.model().value_name(of_one) == other.model().value_name(of_other);
}

}  // namespace thence::transfer
