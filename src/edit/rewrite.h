// Rewrite: copies a model file without the entries that thence wrote, and optionally with new ones: entries
// in the metadata of nodes, and a record in the metadata of the model. Every other byte is copied unchanged.
//
// The record contains what must be restored when the entries are removed: the IR version, which node metadata
// raises, and lengths with longer encodings than necessary.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnx/model.h"
#include "wire/splice.h"

namespace thence::edit {

/// The prefix of all keys of thence.
inline constexpr std::string_view key_prefix = "pkg.thence.";
/// Names an entry of the node that has no prefix of thence, but was added by thence.
inline constexpr std::string_view added_key = "pkg.thence.added";
/// The first IR version whose nodes may have metadata.
inline constexpr std::int64_t metadata_ir_version = 10;

/// The encoded entries of one node or of the model. Keys get the prefix of thence.
class Entries {
 public:
  explicit Entries(std::uint32_t field) : field_(field) {}
  void add(std::string_view key, std::string_view value);
  void add_if(std::string_view key, std::string_view value) {
    if (!value.empty()) add(key, value);
  }
  /// Adds an entry without the prefix. It is removed with the others, because an entry of thence records its
  /// key.
  void add_unprefixed(std::string_view key, std::string_view value);
  /// Adds entries that are already encoded.
  void add(std::string_view entries) { text_.append(entries); }
  void reserve(std::size_t bytes) { text_.reserve(bytes); }
  void clear() { text_.clear(); }
  const std::string& text() const { return text_; }

 private:
  void append(std::string_view prefix, std::string_view key, std::string_view value);
  std::uint32_t field_;
  std::string text_;
};

/// The entries to add.
struct Additions {
  std::vector<std::pair<std::string, std::string>> record;  // of the model
  std::function<std::string_view(onnx::NodeId)> node;       // encoded entries of a node
  std::shared_ptr<const void> owner;  // owns the bytes that `node` returns; lives as long as the splice
  bool any_node = false;              // whether any node gets an entry
  bool drop_stack_traces = false;     // from nodes, wherever an exporter wrote them
};

wire::Splice add_entries(const onnx::Model& model, const Additions& additions);

/// The file before thence added anything.
wire::Splice remove_entries(const onnx::Model& model);

/// Whether the model or a node has an entry of thence.
bool has_entries(const onnx::Model& model);

/// Whether an entry is one of thence that a rewrite does not generate itself.
bool is_tag_entry(const onnx::MetadataEntry& entry);

}  // namespace thence::edit
