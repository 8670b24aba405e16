// Reading terminates for any bytes, and the layout of a message by its writer does not matter.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "model_lines.h"
#include "tree.h"

namespace thence::test {
namespace {

// Reads the bytes and everything in them, so that a sanitizer sees every access; "" if they are no model.
std::string seen_in(const std::string& bytes) {
  const ReadModel read(bytes);
  if (!read.ok()) return "";
  std::string seen = tools::model_lines(read.model());
  for (const Initializer& initializer : read.model().initializers()) {
    const TensorView tensor = read.model().tensor(initializer);
    seen += std::to_string(tensor.elements().value_or(0)) + std::to_string(tensor.bytes().value_or(0));
  }
  return seen;
}

// Another order of fields; those of one number, which may be a list, keep theirs. Messages inside, too.
Tree reordered(const Tree& tree) {
  std::map<std::uint32_t, std::vector<Tree::Field>> by_number;
  std::vector<std::uint32_t> order;
  for (Tree::Field field : tree.fields) {
    if (field.is_message) field.message[0] = reordered(field.message[0]);
    order.push_back(field.number);
    by_number[field.number].push_back(std::move(field));
  }
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(draw(static_cast<int>(i)))]);
  std::map<std::uint32_t, std::size_t> next;
  Tree out;
  for (const std::uint32_t number : order) out.fields.push_back(by_number[number][next[number]++]);
  return out;
}

// Fields that hold one message, which protobuf merges when they come in pieces: g, t, graph, type, ...
bool is_single(MessageKind kind, std::uint32_t number) {
  switch (kind) {
    case MessageKind::model: return number == static_cast<std::uint32_t>(ModelField::graph);
    case MessageKind::attribute: return number == 5 || number == 6;
    case MessageKind::value_info: return number == static_cast<std::uint32_t>(ValueInfoField::type);
    case MessageKind::type: return true;
    case MessageKind::tensor_type: return true;
    default: return false;
  }
}

// Cuts every message that is alone in its field into two pieces.
Tree cut_up(const Tree& tree, MessageKind kind) {
  Tree out;
  for (Tree::Field field : tree.fields) {
    if (!field.is_message) {
      out.fields.push_back(field);
      continue;
    }
    const auto inner_kind =
        static_cast<MessageKind>(layout().messages[static_cast<std::size_t>(kind)][field.number]);
    const Tree whole = cut_up(field.message[0], inner_kind);
    field.message[0] = whole;
    if (!is_single(kind, field.number)) {
      out.fields.push_back(field);
      continue;
    }
    const auto middle = whole.fields.begin() + draw(static_cast<int>(whole.fields.size()) + 1);
    field.message[0].fields.assign(whole.fields.begin(), middle);
    out.fields.push_back(field);
    field.message[0].fields.assign(middle, whole.fields.end());
    out.fields.push_back(field);
  }
  return out;
}

RC_GTEST_PROP(Reading, SurvivesRandomBytes, (const std::string& bytes)) {
  seen_in(bytes);
  seen_in(Message().text(ModelField::graph, bytes).bytes());
  seen_in(model(graph({Message().raw(bytes)})).bytes());
  seen_in(model(graph({Message().text(NodeField::attribute, bytes)})).bytes());
  seen_in(model(graph({}).text(GraphField::initializer, bytes)).bytes());
  seen_in(model(graph({}).text(GraphField::input, bytes)).bytes());
}

RC_GTEST_PROP(Reading, SurvivesDamagedModels, ()) {
  std::string bytes = any_model().bytes();
  for (int i = 1 + draw(5); i > 0 && !bytes.empty(); --i) {
    const auto at = static_cast<std::size_t>(draw(static_cast<int>(bytes.size())));
    switch (draw(4)) {
      case 0: bytes[at] = static_cast<char>(draw(256)); break;
      case 1: bytes.insert(at, 1, static_cast<char>(draw(256))); break;
      case 2: bytes.erase(at, 1 + static_cast<std::size_t>(draw(8))); break;
      default: bytes.resize(at); break;
    }
  }
  seen_in(bytes);
}

RC_GTEST_PROP(Reading, FieldOrderDoesNotMatter, ()) {
  const Tree tree = any_model();
  const std::string seen = seen_in(tree.bytes());
  RC_ASSERT(!seen.empty());
  RC_ASSERT(seen_in(reordered(tree).bytes()) == seen);
}

RC_GTEST_PROP(Reading, MessagesInPiecesAreMerged, ()) {
  const Tree tree = any_model();
  const std::string seen = seen_in(tree.bytes());
  RC_ASSERT(!seen.empty());
  RC_ASSERT(seen_in(cut_up(tree, MessageKind::model).bytes()) == seen);
}

RC_GTEST_PROP(Reading, IsTheSameEveryTime, ()) {
  const std::string bytes = any_model().bytes();
  RC_ASSERT(seen_in(bytes) == seen_in(bytes));
}

}  // namespace
}  // namespace thence::test
