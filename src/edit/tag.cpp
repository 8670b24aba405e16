#include "edit/tag.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "hierarchy/fingerprint.h"
#include "onnx/layout.h"
#include "wire/fields.h"

namespace thence::edit {
namespace {

using onnx::AttributeField;
using onnx::FunctionField;
using onnx::GraphField;
using onnx::ModelField;
using onnx::NodeField;
using semantics::Map;
using wire::bytes_tag;
using wire::varint_tag;

constexpr std::string_view prefix = "pkg.thence.";

void append_entry(std::string& out, auto field, std::string_view key, std::string_view value) {
  std::string entry;
  append_field(entry, static_cast<std::uint32_t>(onnx::EntryField::key), std::string(prefix).append(key));
  append_field(entry, static_cast<std::uint32_t>(onnx::EntryField::value), value);
  append_field(out, static_cast<std::uint32_t>(field), entry);
}

// Whether a metadata entry is one of ours.
bool is_ours(std::string_view entry) {
  bool ours = false;
  for (wire::Fields field(entry); field.next();)
    if (field.tag() == bytes_tag(onnx::EntryField::key)) ours = field.bytes().starts_with(prefix);
  return ours;
}

// The answers as metadata entries. An unknown node says so by having none.
class Answers {
 public:
  explicit Answers(const Map& map) : map_(map) {}

  const std::string& entries(onnx::NodeId id) {
    text_.clear();
    const resolve::Attribution& answer = map_.answer(id);
    if (!answer.known()) return text_;
    const hierarchy::ModuleTree& tree = map_.tree();
    const semantics::ModuleFacts& facts = map_.facts(answer.module);
    add("module", tree[answer.module].path);
    add_if("class", tree[answer.module].class_name);
    add_if("tag", facts.tag);
    if (facts.hf_module != hierarchy::no_module) add("hf_module", tree[facts.hf_module].path);
    std::string role(facts.role.type);
    if (!facts.role.component.empty()) role.append(role.empty() ? "" : " ").append(facts.role.component);
    add_if("role", role);
    if (const auto modules = map_.modules_of(id); modules.size() > 1) {
      std::string all;
      for (const hierarchy::ModuleId module : modules)
        all.append(all.empty() ? "" : " ").append(tree[module].path);
      add("modules", all);
    }
    add("confidence", fmt::format("{:.4g}", answer.confidence));
    add("source", evidence::name_of(answer.source));
    add("fingerprint", hierarchy::fingerprint(map_.model(), id));
    return text_;
  }

 private:
  void add(std::string_view key, std::string_view value) {
    append_entry(text_, NodeField::metadata_props, key, value);
  }
  void add_if(std::string_view key, std::string_view value) {
    if (!value.empty()) add(key, value);
  }

  const Map& map_;
  std::string text_;
};

// Walks the file once, in order, without recursion: down to every node and the bodies it holds, and over
// everything else.
class Tagger {
 public:
  Tagger(const Map& map, Splice& splice) : map_(map), splice_(splice), answers_(map) {
    const onnx::Model& model = map.model();
    for (onnx::NodeId id = 0; id < model.node_count(); ++id)
      nodes_.push_back({model.node(id).bytes().data(), id});
    std::sort(nodes_.begin(), nodes_.end());
  }

  void run(std::string_view file, const std::string& record) {
    enter(Kind::model, file, onnx::none);
    while (!open_.empty()) {
      Message& message = open_.back();
      if (!message.fields.next()) {
        leave(record);
        continue;
      }
      const wire::Fields& field = message.fields;
      const std::string_view whole(field.start(), static_cast<std::size_t>(field.rest() - field.start()));
      const Kind inner = kind_of(message.kind, field);
      if (message.kind == Kind::model && field.tag() == varint_tag(ModelField::ir_version)) {
        ir_version(whole);
      } else if (is_metadata(message.kind, field) && is_ours(field.bytes())) {
        // Left out: what is true now is written at the end.
      } else if (inner == Kind::other || (inner == Kind::attribute && !holds_graph(field.bytes()))) {
        splice_.copy(whole);
      } else {
        splice_.open(field.tag());
        enter(inner, field.bytes(), inner == Kind::node ? node_at(field.bytes().data()) : onnx::none);
      }
    }
  }

 private:
  enum class Kind { other, model, graph, function, node, attribute };
  struct Message {
    Kind kind;
    onnx::NodeId node;
    wire::Fields fields;
  };
  struct Place {
    const char* at;
    onnx::NodeId node;
    bool operator<(const Place& other) const { return at < other.at; }
  };

  static Kind kind_of(Kind outer, const wire::Fields& field) {
    if (field.type() != wire::Type::bytes) return Kind::other;
    const std::uint32_t tag = field.tag();
    switch (outer) {
      case Kind::model:
        if (tag == bytes_tag(ModelField::graph)) return Kind::graph;
        return tag == bytes_tag(ModelField::functions) ? Kind::function : Kind::other;
      case Kind::graph: return tag == bytes_tag(GraphField::node) ? Kind::node : Kind::other;
      case Kind::function: return tag == bytes_tag(FunctionField::node) ? Kind::node : Kind::other;
      case Kind::node: return tag == bytes_tag(NodeField::attribute) ? Kind::attribute : Kind::other;
      case Kind::attribute:
        return tag == bytes_tag(AttributeField::g) || tag == bytes_tag(AttributeField::graphs) ? Kind::graph
                                                                                               : Kind::other;
      default: return Kind::other;
    }
  }

  static bool is_metadata(Kind kind, const wire::Fields& field) {
    return (kind == Kind::node && field.tag() == bytes_tag(NodeField::metadata_props)) ||
           (kind == Kind::model && field.tag() == bytes_tag(ModelField::metadata_props));
  }

  static bool holds_graph(std::string_view attribute) {
    for (wire::Fields field(attribute); field.next();)
      if (field.tag() == bytes_tag(AttributeField::g) || field.tag() == bytes_tag(AttributeField::graphs))
        return true;
    return false;
  }

  onnx::NodeId node_at(const char* at) const {
    const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), Place{at, 0});
    return found != nodes_.end() && found->at == at ? found->node : onnx::none;
  }

  void enter(Kind kind, std::string_view bytes, onnx::NodeId node) {
    open_.push_back({kind, node, wire::Fields(bytes)});
  }

  void leave(const std::string& record) {
    const Message message = open_.back();
    open_.pop_back();
    if (message.kind == Kind::model) {
      if (!saw_version_) ir_version({});
      return splice_.insert(record);
    }
    if (message.node != onnx::none) splice_.insert(answers_.entries(message.node));
    splice_.close();
  }

  void ir_version(std::string_view field) {
    saw_version_ = true;
    if (map_.model().ir_version() >= metadata_ir_version) return splice_.copy(field);
    std::string raised;
    append_varint(raised, varint_tag(ModelField::ir_version));
    append_varint(raised, static_cast<std::uint64_t>(metadata_ir_version));
    splice_.insert(raised);
  }

  const Map& map_;
  Splice& splice_;
  Answers answers_;
  std::vector<Place> nodes_;
  std::vector<Message> open_;
  bool saw_version_ = false;
};

}  // namespace

Splice tagged(const Map& map, const TagOptions& options) {
  std::string record;
  const auto add = [&](std::string_view key, std::string_view value) {
    append_entry(record, ModelField::metadata_props, key, value);
  };
  add("version", THENCE_VERSION);
  add("strategy", map.strategy().name);
  if (!options.capture_digest.empty()) add("capture", options.capture_digest);
  if (map.model().ir_version() < metadata_ir_version)
    add("ir_version", std::to_string(map.model().ir_version()));
  Splice splice(map.model().bytes(), map.model().descriptor());
  Tagger(map, splice).run(map.model().bytes(), record);
  return splice;
}

}  // namespace thence::edit
