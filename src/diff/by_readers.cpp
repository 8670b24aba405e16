#include "diff/by_readers.h"

#include <algorithm>

#include "dataflow/operator_traits.h"
#include "diff/readers.h"

namespace thence::diff {
namespace {

using dataflow::has_trait;
using dataflow::Trait;

using onnx::NodeId;
using onnx::none;

constexpr std::size_t most_readers = 16, most_operands = 64;

NodeId maker_of(const Side& side, onnx::ValueId value) {
  if (value == none) return none;
  const onnx::Producer producer = side.model.producer(value);
  return producer.kind == onnx::Producer::Kind::node ? producer.index : none;
}

class Search {
 public:
  Search(const Side& a, const Side& b, Grouping& grouping)
      : a_(a), b_(b), all_(grouping), readers_(b.model) {}

  // The last ones first: what is found tells of what it reads.
  void run() {
    for (NodeId id = b_.model.node_count(); id-- > 0;) {
      if (all_.of_b[id] != no_group || b_.is_constant(id)) continue;
      const auto readers = readers_.of(id);
      for (const NodeId reader : readers.first(std::min(readers.size(), most_readers)))
        if (const NodeId found = read_instead(id, reader); found != none) {
          all_.add({found}, {id});
          break;
        }
    }
  }

 private:
  // What the partner of a reader reads instead; none unless it is one.
  NodeId read_instead(NodeId id, NodeId reader) const {
    if (all_.of_b[reader] == no_group) return none;
    const Group& group = all_.groups[all_.of_b[reader]];
    if (group.a.size() != 1 || group.b.size() != 1) return none;
    const auto theirs = a_.model.node(group.a.front()).inputs(), ours = b_.model.node(reader).inputs();
    const auto fits = [&](NodeId node) {
      return node != none && all_.of_a[node] == no_group && !a_.is_constant(node) &&
             a_.model.node(node).op_type() == b_.model.node(id).op_type() &&
             !are_surely_of_two_modules(a_, node, b_, id);
    };
    if (has_trait(b_.model.node(reader), Trait::commutative)) {
      if (theirs.size() > most_operands) return none;
      NodeId found = none;
      for (const onnx::ValueId value : theirs)
        if (const NodeId node = maker_of(a_, value); fits(node) && node != found) {
          if (found != none) return none;
          found = node;
        }
      return found;
    }
    for (std::size_t i = 0; i < std::min({ours.size(), theirs.size(), most_operands}); ++i)
      if (maker_of(b_, ours[i]) == id)
        if (const NodeId node = maker_of(a_, theirs[i]); fits(node)) return node;
    return none;
  }

  const Side &a_, &b_;
  Grouping& all_;
  Readers readers_;
};

}  // namespace

void group_by_readers(const Side& a, const Side& b, Grouping& grouping) { Search(a, b, grouping).run(); }

}  // namespace thence::diff
