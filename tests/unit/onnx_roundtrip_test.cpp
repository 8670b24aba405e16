// A random model, written field by field, is read back as it was; producers are those that a plain walk
// through the scopes, written here a second time, finds.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "tree.h"

namespace thence::test {
namespace {

std::vector<std::string> texts(const Tree& tree, std::uint32_t number) {
  std::vector<std::string> found;
  for (const Tree::Field& field : tree.fields)
    if (field.number == number && !field.is_varint && !field.is_message) found.push_back(field.text);
  return found;
}
std::string text(const Tree& tree, std::uint32_t number) {
  const auto all = texts(tree, number);
  return all.empty() ? "" : all.back();
}
std::vector<Tree> messages(const Tree& tree, std::uint32_t number) {
  std::vector<Tree> found;
  for (const Tree::Field& field : tree.fields)
    if (field.number == number && field.is_message) found.push_back(field.message[0]);
  return found;
}

// What a row of the model should say, in words.
struct Row {
  std::string graph, op, name;
  std::vector<std::string> outputs, producers;
};

using Scope = std::map<std::string, std::string>;  // name -> what makes it

class Expectation {
 public:
  explicit Expectation(const Tree& model) {
    fill("", messages(model, 7)[0], false, {});
    for (const Tree& function : messages(model, 25))
      fill("function:" + text(function, 10) + ":" + text(function, 1) + ":", function, true, {});
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  void fill(const std::string& label, const Tree& graph, bool function, std::vector<Scope> scopes) {
    const std::vector<Tree> nodes = messages(graph, function ? 7 : 1);
    Scope& scope = scopes.emplace_back();
    if (function)
      for (const std::string& name : texts(graph, 4)) scope.emplace(name, "graph input");
    if (!function) {
      std::vector<Tree> tensors = messages(graph, 5);
      for (const Tree& sparse : messages(graph, 15)) tensors.push_back(messages(sparse, 1)[0]);
      for (std::size_t i = 0; i < tensors.size(); ++i)
        scope.emplace(text(tensors[i], 8), "initializer " + label + "#" + std::to_string(i));
      for (const Tree& info : messages(graph, 11)) scope.emplace(text(info, 1), "graph input");
    }
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (const std::string& output : texts(nodes[i], 2))
        scope.emplace(output, "node " + label + "#" + std::to_string(i));
    for (const Tree& node : nodes) {
      Row row{label, text(node, 4), text(node, 3), texts(node, 2), {}};
      for (const std::string& input : texts(node, 1)) row.producers.push_back(find(input, scopes));
      rows_.push_back(row);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (const Tree& attribute : messages(nodes[i], 5)) {
        const std::string chain =
            (label.empty() ? "" : label + "/") + std::to_string(i) + "." + text(attribute, 1);
        for (const Tree& body : messages(attribute, 6)) fill(chain, body, false, scopes);
        const auto listed = messages(attribute, 11);
        for (std::size_t j = 0; j < listed.size(); ++j)
          fill(chain + "[" + std::to_string(j) + "]", listed[j], false, scopes);
      }
  }

  static std::string find(const std::string& name, const std::vector<Scope>& scopes) {
    if (name.empty()) return "left out";
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
      if (const auto found = scope->find(name); found != scope->end()) return found->second;
    return "undefined";
  }

  std::vector<Row> rows_;
};

// The same words, from the view.
Row row_of(const Model& model, NodeId id) {
  const Node node = model.node(id);
  Row row{model.graph_label(node.graph()),
          std::string(node.op_type()),
          std::string(node.name()),
          names_of(model, node.outputs()),
          {}};
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    std::string producer = producer_of(model, id, i);
    const ValueId value = node.inputs()[i];
    if (producer.starts_with("node ")) {
      const Node maker = model.node(model.producer(value).index);
      producer = "node " + model.graph_label(maker.graph()) + "#" + std::to_string(maker.index());
    } else if (producer.starts_with("initializer ")) {
      const std::uint32_t index = model.producer(value).index;
      const GraphId graph = model.initializers()[index].graph;
      producer = "initializer " + model.graph_label(graph) + "#" +
                 std::to_string(index - model.graphs()[graph].first_initializer);
    }
    row.producers.push_back(producer);
  }
  return row;
}

RC_GTEST_PROP(RoundTrip, RandomModelsRoundTrip, ()) {
  const Tree tree = any_model();
  const Expectation expected(tree);
  const ReadModel read(tree.bytes());
  RC_ASSERT(read.ok());
  RC_ASSERT(read.model().node_count() == expected.rows().size());
  for (NodeId id = 0; id < read.model().node_count(); ++id) {
    const Row row = row_of(read.model(), id);
    const Row& wanted = expected.rows()[id];
    RC_ASSERT(row.graph == wanted.graph);
    RC_ASSERT(row.op == wanted.op);
    RC_ASSERT(row.name == wanted.name);
    RC_ASSERT(row.outputs == wanted.outputs);
    RC_ASSERT(row.producers == wanted.producers);
  }
}

}  // namespace
}  // namespace thence::test
