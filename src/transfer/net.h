// Net: a model as what it computes. Views (reshapes, casts, scales, quantise and back) are seen through:
// every value has a root, the value that it is another form of. Fused operators are spelled in the common
// vocabulary, so a node may be several steps. Constants are told by content.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/grouped.h"
#include "onnx/model.h"
#include "shapes/infer.h"
#include "transfer/likeness.h"

namespace thence::transfer {

using Root = std::uint32_t;  // a value's number, or one past them for what lies inside a fused node
using StepId = std::uint32_t;
using onnx::none;

/// Numbers for the names of operators, shared by the nets that are compared.
class Operators {
 public:
  std::uint32_t number(std::string_view name);

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

struct Step {
  std::uint32_t op = none;
  onnx::NodeId node = none;
  std::uint32_t first_input = 0, input_count = 0;  // in Net::inputs
  Root output = none;
  std::uint32_t place = 0;   // which output of the operator that is
  std::uint64_t detail = 0;  // hash of attributes and of integers that it reads
  std::int64_t start = -1;   // of what cuts out a part: where that begins, as far as it is known
  Root hands_on = none;      // the input that it gives just as it is, if that is known
  bool commutes = false;
};

class Net {
 public:
  /// What reads or writes more than this is not looked into: no exporter writes such nodes, a hostile file
  /// may.
  static constexpr std::size_t most_inputs = 1024;
  static constexpr std::size_t most_asked = 1u << 16;  // inputs of one operator, by all of its outputs
  static constexpr std::size_t most_merged = 64;       // values into one

  /// With an ancestor's weights: those that were changed are seen as what they were, and so are operations
  /// that were merged into one.
  /// With a glance: weights of which that is enough are not read whole.
  Net(const onnx::Model& model, Operators& operators, Likeness* ancestor = nullptr,
      const Glance* glance = nullptr);

  /// Whether a view gives its input just as it is, as far as shapes tell; they are inferred when that is
  /// first asked.
  bool is_idle(onnx::NodeId view) const;
  /// Finds the steps that do nothing, by the shapes of what they read and give, of which a rewrite may have
  /// left some out: of operators that the descendant has fewer of.
  void find_idle(const Net& descendant);

  const onnx::Model& model() const { return *model_; }
  /// The nodes, each after what it reads, whatever the order of the file.
  const std::vector<onnx::NodeId>& order() const { return order_; }
  std::span<const Step> steps() const { return steps_; }
  std::span<const Root> inputs(const Step& step) const {
    return std::span(inputs_).subspan(step.first_input, step.input_count);
  }
  /// Without those that are computed of sizes, of which rewriters make constants, and without constants whose
  /// content is not among `known`.
  void data_inputs(const Step& step, const std::unordered_set<std::uint64_t>& known,
                   std::vector<Root>& data) const;
  Root root(onnx::ValueId value) const { return roots_[value]; }
  std::size_t root_count() const { return makers_.size(); }
  /// The step that makes a root; none for inputs of the graph, constants, and what is read before it is made.
  StepId maker(Root root) const { return makers_[root]; }
  std::span<const StepId> readers(Root root) const { return readers_.of(root); }
  /// What a root is that only steps which do nothing hand on.
  Root handed_on(Root root) const {
    constexpr int most_in_a_row = 16;
    for (int i = 0; i < most_in_a_row && makers_[root] != none; ++i) {
      if (steps_[makers_[root]].hands_on == none) break;
      root = steps_[makers_[root]].hands_on;
    }
    return root;
  }
  /// Null for what is no constant.
  const std::vector<Constant>& constants() const { return constants_; }
  const Constant* constant(Root root) const {
    return constant_of_[root] == none ? nullptr : &constants_[constant_of_[root]];
  }
  /// How a value's shape differs from its root's: the views between them that change it. 0: not at all.
  std::uint64_t form(onnx::ValueId value) const { return forms_[value]; }
  /// The node that is a view, by node; its steps are none.
  bool is_view(onnx::NodeId node) const { return views_[node]; }
  /// Whether a node works on constants and sizes only.
  bool is_aside(onnx::NodeId node) const { return aside_[node]; }
  /// Whether it does, or gives a constant another form, of whatever size.
  bool serves(onnx::NodeId node) const;
  /// Whether all that a node reads is constant.
  bool is_constant(onnx::NodeId node) const { return fixed_[node]; }
  /// Whether a value is quantised where it is made, which may cut off what an activation would.
  bool is_cut(Root root) const { return root < cut_.size() && cut_[root]; }
  /// By what a node multiplies beside its weight, or its weight was multiplied since the ancestor; or 1.
  double factor(onnx::NodeId node) const;
  /// The number by which a view multiplies; not a number for other nodes.
  double number_in(onnx::NodeId view) const;
  /// Whether any weight was multiplied row by row or column by column since the ancestor.
  bool has_rescaled() const { return has_rescaled_; }
  /// Whether a value is a factor that takes numbers out of their quantised form.
  bool is_scale(onnx::ValueId value) const { return scales_[value]; }

 private:
  void read_constants();
  void read_node(onnx::NodeId id, Operators& operators);
  void tell_what_it_works_on(const onnx::Node& node);
  bool see_through(const onnx::Node& node);
  bool is_number(onnx::ValueId value, const onnx::Node& reader) const;
  enum class Single : std::uint8_t { no, integer, real };  // one number, that is computed
  Single single(onnx::ValueId value) const;
  Single single_of(const onnx::Node& node) const;
  Constant computed(const onnx::Node& node) const;
  bool see_apart(const onnx::Node& node, onnx::NodeId id, Operators& operators);
  void add_constant(Root root, Constant constant);
  void unpack(const onnx::Node& node);
  Root part_of(Root whole, std::uint64_t first, std::uint64_t count);
  std::vector<std::int64_t> integers_of(onnx::ValueId value) const;
  bool cuts_out(const onnx::Node& node) const;
  std::vector<std::int64_t> starts_of(const onnx::Node& node) const;
  std::vector<std::uint64_t> parts_of(const onnx::Node& split, std::uint64_t whole) const;
  StepId add_step(Step step, std::initializer_list<Root> inputs);
  void find_readers();
  const shapes::Inferred& shapes() const;
  std::map<std::string_view, std::vector<StepId>> may_be_idle() const;
  Root fresh();

  const onnx::Model* model_;
  DataFiles files_;  // which the constants look into
  mutable std::shared_ptr<const shapes::Inferred> shapes_;
  std::vector<onnx::NodeId> order_;
  std::vector<Root> roots_;           // by value
  std::vector<std::uint64_t> forms_;  // by value
  std::vector<bool> scales_;          // by value: a factor that takes numbers out of their quantised form
  std::vector<bool> cut_;             // by root that is a value
  std::vector<Single> single_;        // by value, of what is computed of sizes
  std::vector<StepId> makers_;        // by root
  std::vector<std::uint32_t> constant_of_;  // by root
  std::vector<Constant> constants_;
  std::vector<Step> steps_;
  std::vector<Root> inputs_;
  std::vector<bool> views_, fixed_, aside_;  // by node
  bool has_rescaled_ = false;
  std::unordered_set<Root> unpacked_;  // constants that were looked into, whatever was found
  Likeness* ancestor_;                 // null for the ancestor itself
  const Glance* glance_;               // null: all is read
  base::Grouped<StepId> readers_;
};

/// Roots that are gone, and what those read that made them.
using LeftOut = std::unordered_map<Root, Root>;

/// Whether two roots are values of the same name.
bool called_alike(const Net& one, Root of_one, const Net& other, Root of_other);

}  // namespace thence::transfer
