// Maps each node of an ONNX model to its PyTorch module, for C++ programs.
//
//   thence::Result<thence::ModelMap> map = thence::map_model("model.onnx");
//   if (!map) { std::cerr << map.error().text; return 1; }
//   for (std::size_t i = 0; i < map->size(); ++i) std::cout << map->row(i).module.value_or("?") << '\n';
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <thence/diagnostic.h>
#include <thence/result.h>

namespace thence {

struct Options {
  std::string strategy = "auto";  // auto, enhanced_semantic, usage_based
  std::string capture;            // the path of a capture file or of a saved program (.pt2); empty for none
  /// torch.nn classes that are reported as modules. Without a value: the norms and Embedding.
  std::optional<std::vector<std::string>> torch_nn_exceptions;
  /// The path of a rules file; empty for none.
  std::string rules;
  /// hf, nn or custom. Empty: custom if the rules select modules, otherwise all modules unchanged.
  std::string granularity;
};

/// The answer for one node; the fields are those of schema/map.schema.json.
struct Row {
  std::string graph;
  std::uint32_t index = 0;
  std::string name;
  std::string op_type;
  std::string domain;
  std::optional<std::string> module;  // "" is the root; empty: unknown, and `reason` gives the cause
  std::optional<std::string> module_class;
  std::optional<std::uint32_t> call;  // empty: unknown which, or several
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

/// The map of a model: one row per node, in file order, then bodies depth-first, then functions.
class ModelMap {
 public:
  ModelMap(ModelMap&&) noexcept;
  ModelMap& operator=(ModelMap&&) noexcept;
  ~ModelMap();

  std::size_t size() const;
  Row row(std::size_t node) const;
  /// The numbers of all rows whose node has this name.
  std::vector<std::size_t> find(std::string_view name) const;
  /// The whole map, as `thence map --format json` prints it.
  std::string json() const;
  /// The explanation of a node's answer, as `thence explain` prints it.
  std::string explain(std::size_t node) const;
  const Diagnostics& diagnostics() const;

 private:
  struct Impl;
  explicit ModelMap(std::unique_ptr<Impl> impl);
  friend Result<ModelMap> map_model(const std::string& path, const Options& options);
  friend Result<ModelMap> map_bytes(std::string_view bytes, const Options& options);
  std::unique_ptr<Impl> impl_;
};

Result<ModelMap> map_model(const std::string& path, const Options& options = {});
/// Maps a model in memory. The bytes must outlive the map.
Result<ModelMap> map_bytes(std::string_view bytes, const Options& options = {});

}  // namespace thence
