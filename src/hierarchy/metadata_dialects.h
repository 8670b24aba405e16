// The dialects in which tools write the modules of a node into its metadata. They are data
// (schema/metadata_dialects.json): which keys a dialect has, and how their values are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thence::hierarchy {

/// What the value of a key is.
enum class MetadataField : std::uint8_t {
  scopes,
  classes,
  name_space,
  operation,
  rewritten,
  folded_from,
  class_path,
  count,
};

struct MetadataDialect {
  std::string name;
  bool is_cumulative = true;          // entries are full paths, not relative to the entry before
  bool ends_with_operation = true;    // the last entry is the operation, not the innermost module
  bool has_qualified_classes = true;  // classes have their package
  bool has_namespace = false;
};

class MetadataDialects {
 public:
  using DialectId = std::uint8_t;

  /// The table in schema/metadata_dialects.json.
  static const MetadataDialects& shipped();

  const MetadataDialect& operator[](DialectId dialect) const { return dialects_[dialect]; }
  DialectId count() const { return static_cast<DialectId>(dialects_.size()); }

  /// What a key means. Dialects may share `namespace`, which has none by itself.
  struct Key {
    std::string text;
    MetadataField field = MetadataField::count;
    std::optional<DialectId> dialect;
  };
  /// Null for other keys.
  const Key* find(std::string_view key) const;
  /// The first key of a field; empty if no dialect has one.
  std::string_view key_of(MetadataField field) const;

  /// The first dialect with a namespace whose entries have this form.
  std::optional<DialectId> with_namespace(bool is_cumulative) const;

  /// Whether PyTorch's exporters are known to write this: the producer of a file, or the name of a value.
  bool is_module_producer(std::string_view producer) const;
  bool is_module_value(std::string_view value) const;

 private:
  std::vector<MetadataDialect> dialects_;
  std::vector<Key> keys_;
  std::vector<std::string> producers_, value_prefixes_;
};

}  // namespace thence::hierarchy
