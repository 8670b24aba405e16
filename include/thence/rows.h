// What a map has one of for each node, module and initializer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thence {

/// The answer for one node; the fields are those of schema/map.schema.json.
struct Row {
  std::string graph;
  std::uint32_t index = 0;
  std::string name;
  std::string op_type;
  std::string domain;
  std::optional<std::string> module;  // "" is the root; empty: unknown, and `reason` gives the cause
  std::optional<std::string> module_class;
  std::optional<std::string> module_kind;  // "module"; or "scope" of the tool that wrote the file
  std::optional<std::uint32_t> call;       // empty: unknown which, or several
  std::vector<std::string> modules;
  std::optional<std::string> weight_owner;
  std::optional<std::string> hf_module;
  std::optional<std::string> hf_module_class;
  std::optional<std::string> tag;
  std::optional<std::string> semantic_type;
  std::optional<std::string> component;
  std::optional<std::uint64_t> layer_id;
  std::vector<std::pair<std::string, std::uint64_t>> layer_path;
  std::optional<std::string> source;
  float confidence = 0;
  std::string level;
  std::optional<std::string> reason;
};

/// A module of the PyTorch model.
struct Module {
  std::string path;                       // "" is the root
  std::optional<std::string> class_name;  // qualified; empty: unknown
  std::optional<std::string> parent;      // the path; empty for the root
  std::vector<std::string> aliases;       // other paths of the same module
  std::optional<std::uint32_t> calls;     // number of forward calls, if a capture has it
  std::optional<std::string> semantic_type;
  std::optional<std::string> component;
  std::size_t nodes = 0;  // whose answer is this module; those of modules inside it are not counted
};

/// How an initializer was made of the parameters of the live model.
enum class Transform {
  none,  // it holds no parameter, or that is not known
  identity,
  transposed,
  cast,
  split,
  concatenated,
  folded,
  quantised,
  packed,
  scale_of,
  zero_point_of,
};
/// As `thence weights` prints it; empty for `none`.
std::string_view name_of(Transform transform);

/// An initializer of the file, and the parameters that it holds.
struct Initializer {
  std::string name;
  std::vector<std::string> parameters;  // names in the state_dict
  Transform transform = Transform::none;
  std::optional<std::string> module;  // that owns them; empty: unknown
  std::vector<std::int64_t> shape;
};

}  // namespace thence
