#include "edit/rewrite.h"

#include <algorithm>
#include <charconv>

#include "edit/original_encoding.h"
#include "onnx/layout.h"
#include "onnx/metadata_keys.h"
#include "wire/fields.h"

namespace thence::edit {
namespace {

using onnx::AttributeField;
using onnx::FunctionField;
using onnx::GraphField;
using onnx::ModelField;
using onnx::NodeField;
using wire::bytes_tag;
using wire::varint_tag;

constexpr std::string_view restore_key = "restore", version_key = "ir_version";

std::string_view key_of(std::string_view entry) {
  std::string_view key;
  for (wire::Fields field(entry); field.next();)
    if (field.tag() == bytes_tag(onnx::EntryField::key)) key = field.bytes();
  return key;
}

std::uint8_t varint_width(std::uint64_t value) {
  std::uint8_t width = 1;
  for (; value >= 0x80; value >>= 7) ++width;
  return width;
}

// The encoded widths of the tag and length of the current field.
Widths widths_of(const wire::Fields& field) {
  std::uint8_t tag = 1;
  while ((static_cast<unsigned char>(field.start()[tag - 1]) & 0x80) != 0) ++tag;
  return {tag, static_cast<std::uint8_t>(field.bytes().data() - field.start() - tag)};
}
bool has_shortest_encoding(const wire::Fields& field) {
  const Widths widths = widths_of(field);
  return widths.tag == varint_width(field.tag()) && widths.length == varint_width(field.bytes().size());
}

std::string version_field(std::int64_t version) {
  std::string text;
  wire::append_varint(text, varint_tag(ModelField::ir_version));
  wire::append_varint(text, static_cast<std::uint64_t>(version));
  return text;
}
bool is_version_field(std::string_view bytes) {
  wire::Fields field(bytes);
  return field.next() && field.tag() == varint_tag(ModelField::ir_version) &&
         field.rest() == bytes.data() + bytes.size();
}

// The state of the file before thence changed it, according to its record.
struct PreviousRecord {
  bool has_record = false;
  OriginalEncoding encoding;
  std::int64_t ir_version = 0;

  explicit PreviousRecord(const onnx::Model& model) : ir_version(model.ir_version()) {
    bool raised = false;
    for (const onnx::MetadataEntry& entry : model.metadata()) {
      if (!entry.key.starts_with(key_prefix)) continue;
      has_record = true;
      const std::string_view key = entry.key.substr(key_prefix.size());
      if (key == restore_key) {
        encoding = OriginalEncoding::parse(entry.value).value_or(OriginalEncoding{});
      } else if (key == version_key) {
        const char* const end = entry.value.data() + entry.value.size();
        raised = std::from_chars(entry.value.data(), end, ir_version).ptr == end;
      }
    }
    std::erase_if(encoding.versions, [](const std::string& v) { return !v.empty() && !is_version_field(v); });
    if (!raised)
      encoding.versions.clear();
    else if (encoding.versions.empty())
      encoding.versions.push_back(version_field(ir_version));
  }
};

// Walks the file once, in order and without recursion. It descends into every node and its bodies, and copies
// everything else.
class Rewriter {
 public:
  Rewriter(const onnx::Model& model, const PreviousRecord& before, const Additions* additions)
      : model_(model),
        previous_(before),
        additions_(additions),
        raises_ir_version_(additions != nullptr && additions->any_node &&
                           before.ir_version < metadata_ir_version),
        plain_nodes_(!model.may_have_node_metadata() && !model.has_bodies() &&
                     (additions == nullptr || !additions->drop_stack_traces)),
        splice_(model.bytes(), model.descriptor()) {
    if (additions == nullptr || !additions->any_node) return;
    nodes_.reserve(model.node_count());
    for (onnx::NodeId id = 0; id < model.node_count(); ++id)
      nodes_.push_back({model.node(id).bytes().data(), id});
    splice_.reserve(3 * model.node_count());
    splice_.keep_alive(additions->owner);
    if (!std::is_sorted(nodes_.begin(), nodes_.end())) std::sort(nodes_.begin(), nodes_.end());
  }

  void run() {
    open_.push_back({Kind::model, onnx::none, wire::Fields(model_.bytes()), {}, nullptr});
    while (!open_.empty()) {
      Message& message = open_.back();
      if (!message.fields.next()) {
        leave();
        continue;
      }
      const wire::Fields& field = message.fields;
      const std::string_view whole(field.start(), static_cast<std::size_t>(field.rest() - field.start()));
      const Kind inner = kind_of(message.kind, field);
      if (message.kind == Kind::model && field.tag() == varint_tag(ModelField::ir_version))
        version(whole);
      else if (is_thence_entry(message, field) || is_stripped(message, field))
        ;  // omitted: the new record is written at the end
      else if (inner == Kind::other || (inner == Kind::attribute && !contains_graph(field.bytes())))
        splice_.copy(whole);
      else
        enter(inner, field);
    }
  }

  std::uint64_t messages() const { return messages_; }
  wire::Splice take() { return std::move(splice_); }

 private:
  enum class Kind { other, model, graph, function, node, attribute };
  struct Message {
    Kind kind;
    onnx::NodeId node;
    wire::Fields fields;
    Widths widths;            // of its tag and length; 0: the shortest encoding
    const char* added_entry;  // an entry that thence added under another key
  };
  struct NodePosition {
    const char* at;
    onnx::NodeId node;
    bool operator<(const NodePosition& other) const { return at < other.at; }
  };

  static Kind kind_of(Kind outer, const wire::Fields& field) {
    if (field.type() != wire::WireType::bytes) return Kind::other;
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

  static bool is_thence_entry(const Message& message, const wire::Fields& field) {
    const bool metadata =
        (message.kind == Kind::node && field.tag() == bytes_tag(NodeField::metadata_props)) ||
        (message.kind == Kind::model && field.tag() == bytes_tag(ModelField::metadata_props));
    return metadata &&
           (field.start() == message.added_entry || key_of(field.bytes()).starts_with(key_prefix));
  }

  bool is_stripped(const Message& message, const wire::Fields& field) const {
    if (additions_ == nullptr || !additions_->drop_stack_traces || message.kind != Kind::node) return false;
    if (field.tag() == bytes_tag(NodeField::doc_string)) return onnx::is_stack_trace(field.bytes());
    return field.tag() == bytes_tag(NodeField::metadata_props) &&
           key_of(field.bytes()) == onnx::stack_trace_key;
  }

  static bool contains_graph(std::string_view attribute) {
    for (wire::Fields field(attribute); field.next();)
      if (field.tag() == bytes_tag(AttributeField::g) || field.tag() == bytes_tag(AttributeField::graphs))
        return true;
    return false;
  }

  // The last entry with the key that an entry of thence records as added.
  static const char* find_added_entry(std::string_view node) {
    std::string added;
    onnx::for_each_metadata(node, static_cast<std::uint32_t>(NodeField::metadata_props),
                            [&](const onnx::MetadataEntry& entry) {
                              if (entry.key == added_key) added = entry.value;
                            });
    if (added.empty()) return nullptr;
    const char* found = nullptr;
    for (wire::Fields field(node); field.next();)
      if (field.tag() == bytes_tag(NodeField::metadata_props) && key_of(field.bytes()) == added)
        found = field.start();
    return found;
  }

  // The file is walked in order, so the next node mostly follows the last one.
  onnx::NodeId node_at(const char* at) {
    if (next_ >= nodes_.size() || nodes_[next_].at != at) {
      const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), NodePosition{at, 0});
      next_ = static_cast<std::size_t>(found - nodes_.begin());
    }
    return next_ < nodes_.size() && nodes_[next_].at == at ? nodes_[next_++].node : onnx::none;
  }

  void enter(Kind kind, const wire::Fields& field) {
    Widths widths;
    const auto known = previous_.encoding.widths.find(messages_);
    if (known != previous_.encoding.widths.end()) widths = known->second;
    if (widths.tag == 0 && !has_shortest_encoding(field)) widths = widths_of(field);
    if (widths.tag != 0) encoding_.widths[messages_] = widths;
    ++messages_;
    splice_.open(field.tag());
    const std::string_view bytes = field.bytes();
    std::string_view unread = bytes;
    if (kind == Kind::node && plain_nodes_) {
      splice_.copy(bytes);
      unread.remove_prefix(bytes.size());
    }
    open_.push_back({kind, kind == Kind::node ? node_at(bytes.data()) : onnx::none, wire::Fields(unread),
                     additions_ == nullptr ? widths : Widths{},
                     kind == Kind::node && previous_.has_record ? find_added_entry(bytes) : nullptr});
  }

  void leave() {
    const Message message = open_.back();
    open_.pop_back();
    // The reader rejects such files; copy the rest to lose nothing.
    if (message.fields.fault() != wire::Fault::none)
      splice_.copy({message.fields.fault_at(),
                    static_cast<std::size_t>(message.fields.rest() - message.fields.fault_at())});
    if (message.kind == Kind::model) return finish();
    if (message.node != onnx::none) splice_.insert_borrowed(additions_->node(message.node));
    splice_.close(message.widths.tag, message.widths.length);
  }

  void version(std::string_view field) {
    const std::size_t number = encoding_.versions.size();
    const std::vector<std::string>& were = previous_.encoding.versions;
    encoding_.versions.emplace_back(number < were.size() ? were[number] : field);
    splice_.insert(raises_ir_version_ ? version_field(metadata_ir_version) : encoding_.versions.back());
  }

  void finish() {
    if (additions_ == nullptr) return;
    if (raises_ir_version_ && encoding_.versions.empty()) {
      encoding_.versions.emplace_back();
      splice_.insert(version_field(metadata_ir_version));
    }
    Entries record(static_cast<std::uint32_t>(ModelField::metadata_props));
    for (const auto& [key, value] : additions_->record) record.add(key, value);
    const bool plain = encoding_.versions == std::vector{version_field(previous_.ir_version)};
    if (raises_ir_version_) record.add(version_key, std::to_string(previous_.ir_version));
    if (!raises_ir_version_ || plain) encoding_.versions.clear();
    encoding_.messages = messages_;
    if (!encoding_.empty()) record.add(restore_key, encoding_.format());
    splice_.insert(record.text());
  }

  const onnx::Model& model_;
  const PreviousRecord& previous_;
  const Additions* additions_;  // null: only remove entries
  const bool raises_ir_version_;
  const bool plain_nodes_;  // nodes need no changes inside, so they are copied as a whole
  wire::Splice splice_;
  OriginalEncoding encoding_;  // of the original file, for removing the entries later
  std::vector<NodePosition> nodes_;
  std::size_t next_ = 0;  // index in nodes_
  std::vector<Message> open_;
  std::uint64_t messages_ = 0;
};

wire::Splice rewrite(const onnx::Model& model, const Additions* additions) {
  PreviousRecord before(model);
  for (;;) {
    Rewriter rewriter(model, before, additions);
    rewriter.run();
    if (before.encoding.widths.empty() || rewriter.messages() == before.encoding.messages)
      return rewriter.take();
    before.encoding.widths.clear();  // they belong to other messages
  }
}

}  // namespace

void Entries::append(std::string_view prefix, std::string_view key, std::string_view value) {
  constexpr auto key_tag = bytes_tag(onnx::EntryField::key), value_tag = bytes_tag(onnx::EntryField::value);
  const std::size_t key_size = prefix.size() + key.size();
  wire::append_varint(text_, bytes_tag(field_));
  wire::append_varint(text_, varint_width(key_tag) + varint_width(key_size) + key_size +
                                 varint_width(value_tag) + varint_width(value.size()) + value.size());
  wire::append_varint(text_, key_tag);
  wire::append_varint(text_, key_size);
  text_.append(prefix).append(key);
  wire::append_varint(text_, value_tag);
  wire::append_varint(text_, value.size());
  text_.append(value);
}

void Entries::add(std::string_view key, std::string_view value) { append(key_prefix, key, value); }

void Entries::add_unprefixed(std::string_view key, std::string_view value) {
  append({}, key, value);
  append({}, added_key, key);
}

bool is_tag_entry(const onnx::MetadataEntry& entry) {
  if (!entry.key.starts_with(key_prefix) || entry.key == added_key) return false;
  const std::string_view key = entry.key.substr(key_prefix.size());
  return key != restore_key && key != version_key;
}

wire::Splice add_entries(const onnx::Model& model, const Additions& additions) {
  return rewrite(model, &additions);
}

wire::Splice remove_entries(const onnx::Model& model) {
  if (has_entries(model)) return rewrite(model, nullptr);
  wire::Splice same(model.bytes(), model.descriptor());
  same.copy(model.bytes());
  return same;
}

bool has_entries(const onnx::Model& model) {
  const auto is_ours = [](const onnx::MetadataEntry& entry) { return entry.key.starts_with(key_prefix); };
  const auto of_model = model.metadata();
  if (std::any_of(of_model.begin(), of_model.end(), is_ours)) return true;
  bool any = false;
  for (onnx::NodeId id = 0; id < model.node_count() && model.may_have_node_metadata() && !any; ++id)
    model.node(id).for_each_metadata([&](const onnx::MetadataEntry& entry) { any |= is_ours(entry); });
  return any;
}

}  // namespace thence::edit
