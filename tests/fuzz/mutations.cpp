#include "mutations.h"

#include <algorithm>
#include <array>
#include <utility>

namespace thence::fuzz {
namespace {

// A field, by the list that it is in, and the kind of the message around it.
struct Spot {
  std::vector<Field>* list;
  std::size_t at;
  Kind around;

  Field& field() const { return (*list)[at]; }
};
using Spots = std::vector<Spot>;

constexpr std::size_t most_copies = 40, most_wrapped = 8;
constexpr std::array<std::uint64_t, 18> numbers{
    0,   1,          2,          3,          7,           8,          9,          10,    64,
    127, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 1ULL << 62, 1ULL << 63, ~0ULL, ~0ULL - 1};
constexpr std::array<const char*, 24> names{
    "/enc/layer.0/attn/query/MatMul",
    "/enc/layer.0/attn/query/MatMul_output_0",
    "/enc/layer.1/attn/Add_1",
    "/layer/layer.0/MatMul",
    "enc.layer.0.attn.query.weight",
    "onnx::MatMul_12",
    "layers.slice(None, 4, None).0",
    "['', 'enc', 'enc.layer.0']",
    "['M', 'torch.nn.modules.linear.Linear']",
    ": pkg.Model/enc.layer.0: pkg.Layer/linear: aten.linear.default",
    "namespace",
    "pkg.torch.onnx.name_scopes",
    "pkg.torch.onnx.class_hierarchy",
    "pkg.torch.onnx.stack_trace",
    "pkg.thence.module",
    "pkg.thence.added",
    "pkg.thence.fingerprint",
    "File \"/a/b.py\", line 12, in forward\n    return self.fc(x)",
    "\x1b[31m",
    "\xff\xfe",
    "=cmd|' /C calc'!A0",
    "\"quoted\" \\ back",
    "",
    ".",
};
constexpr std::array<const char*, 16> operators{
    "MatMul", "Gemm",  "Add",    "Mul",   "Cast", "Reshape", "Relu", "Transpose",
    "Concat", "Split", "Gather", "Slice", "If",   "Loop",    "Scan", "QLinearMatMul"};

class Mutation {
 public:
  Mutation(std::vector<Field>& model, Random& random, const ChangeText& change_text)
      : model_(model), random_(random), change_text_(change_text) {}

  void run();

 private:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  template <class List>
  const auto& any(const List& list) {
    return list[below(list.size())];
  }
  template <class Fits>
  Spots find(const Fits& fits) {
    Spots spots;
    collect(model_, Kind::model, fits, spots);
    return spots;
  }
  template <class Fits>
  void collect(std::vector<Field>& list, Kind around, const Fits& fits, Spots& spots) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Spot spot{&list, i, around};
      if (fits(spot)) spots.push_back(spot);
      if (list[i].is_message()) collect(list[i].fields, list[i].kind, fits, spots);
    }
  }
  Spots texts() {
    return find([](const Spot& spot) { return spot.field().is_text(); });
  }
  Spots messages(Kind kind) {
    return find([=](const Spot& spot) { return spot.field().is_message() && spot.field().kind == kind; });
  }

  void change_number();
  void change_text();
  void set_text();
  void exchange_texts();
  void rename_everywhere();
  void remove();
  void repeat();
  void move_or_copy(bool keeps);
  void exchange_siblings();
  void renumber();
  void rewire();
  void wrap(bool as_function);
  void add_attribute_reference();

  std::vector<Field>& model_;
  Random& random_;
  const ChangeText& change_text_;
};

void Mutation::run() {
  switch (below(16)) {
    case 0: return change_number();
    case 1:
    case 2: return change_text();
    case 3:
    case 4: return set_text();
    case 5: return exchange_texts();
    case 6: return rename_everywhere();
    case 7: return remove();
    case 8: return repeat();
    case 9: return move_or_copy(false);
    case 10: return move_or_copy(true);
    case 11: return exchange_siblings();
    case 12: return below(4) == 0 ? renumber() : rewire();
    case 13: return rewire();
    case 14: return wrap(true);
    default: return below(2) == 0 ? wrap(false) : add_attribute_reference();
  }
}

void Mutation::change_number() {
  const Spots spots = find([](const Spot& spot) { return spot.field().wire_type != 2; });
  if (spots.empty()) return;
  Field& field = any(spots).field();
  switch (below(4)) {
    case 0: field.value += 1; break;
    case 1: field.value -= 1; break;
    case 2: field.value = any(spots).field().value; break;
    default: field.value = any(numbers);
  }
}

void Mutation::change_text() {
  const Spots spots = texts();
  if (!spots.empty()) change_text_(any(spots).field().bytes);
}

void Mutation::set_text() {
  const Spots spots = texts();
  if (spots.empty()) return;
  Field& field = any(spots).field();
  field.bytes = field.kind == Kind::operator_name ? any(operators) : any(names);
}

// Of the same kind, such as the names of two nodes.
void Mutation::exchange_texts() {
  const Spots spots = texts();
  if (spots.empty()) return;
  Field& first = any(spots).field();
  const Spots others = find([&](const Spot& spot) { return spot.field().kind == first.kind; });
  Field& second = any(others).field();
  if (below(2) == 0)
    std::swap(first.bytes, second.bytes);
  else
    first.bytes = std::string(second.bytes);
}

// So that what refers to a name still does.
void Mutation::rename_everywhere() {
  const Spots spots = texts();
  if (spots.empty()) return;
  const std::string old = any(spots).field().bytes;
  std::string renamed = old;
  if (below(2) == 0)
    change_text_(renamed);
  else
    renamed = any(names);
  for (const Spot& spot : spots)
    if (spot.field().bytes == old) spot.field().bytes = renamed;
}

void Mutation::remove() {
  const Spots spots =
      find([](const Spot& spot) { return spot.around != Kind::model || spot.list->size() > 2; });
  if (spots.empty()) return;
  const Spot& spot = any(spots);
  spot.list->erase(spot.list->begin() + static_cast<std::ptrdiff_t>(spot.at));
}

void Mutation::repeat() {
  const Spots spots = find([](const Spot&) { return true; });
  if (spots.empty()) return;
  const Spot& spot = any(spots);
  const Field copy = spot.field();
  const std::size_t copies = below(8) == 0 ? below(most_copies) : 1;
  spot.list->insert(spot.list->begin() + static_cast<std::ptrdiff_t>(spot.at), copies, copy);
}

// Into a message of the same kind as the one around it, or rarely of any.
void Mutation::move_or_copy(bool keeps) {
  const Spots spots = find([](const Spot&) { return true; });
  if (spots.empty()) return;
  const Spot from = any(spots);
  Field moved = from.field();
  if (!keeps) from.list->erase(from.list->begin() + static_cast<std::ptrdiff_t>(from.at));
  const bool anywhere = below(10) == 0;
  const Spots targets = find([&](const Spot& spot) {
    return spot.field().is_message() && (anywhere || spot.field().kind == from.around);
  });
  std::vector<Field>& list = targets.empty() ? model_ : any(targets).field().fields;
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(below(list.size() + 1)), std::move(moved));
}

void Mutation::exchange_siblings() {
  const Spots spots = find([](const Spot& spot) { return spot.list->size() > 1; });
  if (spots.empty()) return;
  const Spot& spot = any(spots);
  std::swap(spot.field(), (*spot.list)[below(spot.list->size())]);
}

void Mutation::renumber() {
  const Spots spots = find([](const Spot&) { return true; });
  if (spots.empty()) return;
  any(spots).field().number = static_cast<std::uint32_t>(1 + below(26));
}

// Makes a node read what another one writes, or write what it reads.
void Mutation::rewire() {
  const Spots values = find(
      [](const Spot& spot) { return spot.around == Kind::node && spot.field().kind == Kind::value_name; });
  if (values.empty()) return;
  any(values).field().bytes = std::string(any(values).field().bytes);
}

Field text_field(std::uint32_t number, Kind kind, std::string text) {
  return {.number = number, .wire_type = 2, .kind = kind, .bytes = std::move(text)};
}

// Moves some consecutive nodes of a graph into a function or into a body, and calls it in their place.
void Mutation::wrap(bool as_function) {
  const Spots nodes = messages(Kind::node);
  if (nodes.empty()) return;
  const Spot first = any(nodes);
  std::size_t end = first.at;
  std::vector<Field> moved, names_read, names_written;
  for (std::size_t most = 1 + below(most_wrapped);
       end < first.list->size() && moved.size() < most && (*first.list)[end].kind == Kind::node; ++end)
    moved.push_back((*first.list)[end]);
  for (const Field& node : moved)
    for (const Field& field : node.fields)
      if (field.kind == Kind::value_name) (field.number == 1 ? names_read : names_written).push_back(field);
  const std::string name = "F" + std::to_string(below(4));
  Field call{.number = first.field().number, .wire_type = 2, .kind = Kind::node};
  call.fields = names_read;
  call.fields.insert(call.fields.end(), names_written.begin(), names_written.end());
  call.fields.push_back(text_field(4, Kind::operator_name, as_function ? name : any(operators)));
  Field holder{.number = 25, .wire_type = 2, .kind = Kind::function};
  if (as_function) {
    call.fields.push_back(text_field(7, Kind::domain, "fuzz"));
    holder.fields = {text_field(1, Kind::operator_name, name), text_field(10, Kind::domain, "fuzz")};
    for (const Field& read : names_read) holder.fields.push_back(text_field(4, Kind::value_name, read.bytes));
    for (const Field& written : names_written)
      holder.fields.push_back(text_field(5, Kind::value_name, written.bytes));
    for (Field& node : moved) node.number = 7;
    holder.fields.insert(holder.fields.end(), moved.begin(), moved.end());
  } else {
    Field body{.number = 6, .wire_type = 2, .kind = Kind::graph, .fields = std::move(moved)};
    for (Field& node : body.fields) node.number = 1;
    call.fields.push_back(
        {.number = 5,
         .wire_type = 2,
         .kind = Kind::attribute,
         .fields = {text_field(1, Kind::text, below(2) == 0 ? "then_branch" : "body"), body}});
  }
  const auto begin = first.list->begin() + static_cast<std::ptrdiff_t>(first.at);
  first.list->erase(begin + 1, first.list->begin() + static_cast<std::ptrdiff_t>(end));
  first.field() = std::move(call);
  if (as_function) model_.push_back(std::move(holder));  // last, because it moves the lists
}

// An attribute of a node in a function that is given by the caller.
void Mutation::add_attribute_reference() {
  const Spots nodes = messages(Kind::node);
  if (nodes.empty()) return;
  const std::string name(below(2) == 0 ? "axis" : "value");
  any(nodes).field().fields.push_back(
      {.number = 5,
       .wire_type = 2,
       .kind = Kind::attribute,
       .fields = {text_field(1, Kind::text, name), text_field(21, Kind::text, name)}});
}

const Field* any_message(const std::vector<Field>& list, Random& random) {
  const Field* chosen = nullptr;
  std::size_t seen = 0;
  std::vector<const std::vector<Field>*> open{&list};
  while (!open.empty()) {
    const std::vector<Field>& next = *open.back();
    open.pop_back();
    for (const Field& field : next) {
      if (!field.is_message()) continue;
      if (random() % ++seen == 0) chosen = &field;
      open.push_back(&field.fields);
    }
  }
  return chosen;
}

void collect_lists(std::vector<Field>& list, Kind kind, const Field& like,
                   std::vector<std::vector<Field>*>& lists) {
  if (kind_of_field(kind, like.number) == like.kind) lists.push_back(&list);
  for (Field& field : list)
    if (field.is_message()) collect_lists(field.fields, field.kind, like, lists);
}

}  // namespace

std::string mutate_model(std::string_view bytes, Random& random, const ChangeText& change_text) {
  std::vector<Field> model;
  std::string out;
  if (!parse_message(bytes, Kind::model, model) || model.empty()) return out;
  Mutation mutation(model, random, change_text);
  do mutation.run();
  while (random() % 3 == 0);
  write_message(model, out);
  return out;
}

std::string cross_models(std::string_view bytes, std::string_view other, Random& random) {
  std::vector<Field> model, source;
  std::string out;
  if (!parse_message(bytes, Kind::model, model) || !parse_message(other, Kind::model, source)) return out;
  const Field* const moved = any_message(source, random);
  if (moved == nullptr) return out;
  std::vector<std::vector<Field>*> lists;
  collect_lists(model, Kind::model, *moved, lists);
  if (lists.empty()) return out;
  std::vector<Field>& list = *lists[random() % lists.size()];
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(random() % (list.size() + 1)), *moved);
  write_message(model, out);
  return out;
}

}  // namespace thence::fuzz
