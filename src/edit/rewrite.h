// Rewrite: the model's file with everything that thence wrote into it taken out and, perhaps, something new
// put in: entries in the nodes' metadata, and a record in the model's. Every other byte is copied as it is.
//
// The record says what must be put back when the entries are taken out again: the IR version, which node
// metadata raises, and lengths that were written longer than they need to be.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edit/splice.h"
#include "onnx/model.h"

namespace thence::edit {

/// What all keys of ours begin with.
inline constexpr std::string_view key_prefix = "pkg.thence.";
/// Names an entry of the node that is not ours by its key, but was put in with ours.
inline constexpr std::string_view added_key = "pkg.thence.added";
/// The least IR version whose nodes may hold metadata.
inline constexpr std::int64_t metadata_ir_version = 10;

/// The entries of one node or of the model, as they are written; keys get our prefix.
class Entries {
 public:
  explicit Entries(std::uint32_t field) : field_(field) {}
  void add(std::string_view key, std::string_view value);
  void add_if(std::string_view key, std::string_view value) {
    if (!value.empty()) add(key, value);
  }
  /// A key of somebody else's. It is taken out with ours: our entry says that it was added.
  void add_foreign(std::string_view key, std::string_view value);
  /// Entries made before, as they are written.
  void add(std::string_view entries) { text_.append(entries); }
  void reserve(std::size_t bytes) { text_.reserve(bytes); }
  void clear() { text_.clear(); }
  const std::string& text() const { return text_; }

 private:
  void append(std::string_view prefix, std::string_view key, std::string_view value);
  std::uint32_t field_;
  std::string text_;
};

/// What is put in.
struct Additions {
  std::vector<std::pair<std::string, std::string>> record;  // the model's
  std::function<void(onnx::NodeId, Entries&)> node;         // a node's
  bool any_node = false;                                    // whether any node gets one
  bool drop_stack_traces = false;                           // nodes', wherever an exporter left them
};

Splice with(const onnx::Model& model, const Additions& additions);

/// The file as it was before anything was put in.
Splice without(const onnx::Model& model);

/// Whether the model or a node has an entry of ours.
bool has_entries(const onnx::Model& model);

/// Whether an entry is one of ours that a rewrite does not make by itself.
bool is_answer(const onnx::MetadataEntry& entry);

}  // namespace thence::edit
