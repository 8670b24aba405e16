// Maps each node of an ONNX model to its PyTorch module, for C++ programs.
//
//   thence::Result<thence::ModelMap> map = thence::map_model("model.onnx");
//   if (!map) { std::cerr << map.error().text; return 1; }
//   for (std::size_t i = 0; i < map->size(); ++i) std::cout << map->row(i).module.value_or("?") << '\n';
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <thence/diagnostic.h>
#include <thence/differences.h>
#include <thence/editing.h>
#include <thence/options.h>
#include <thence/result.h>
#include <thence/rows.h>
#include <thence/selection.h>

namespace thence {

/// The map of a model: one row per node, in file order, then bodies depth-first, then functions.
///
/// A map is used by one thread at a time; maps of different models are independent.
class ModelMap {
 public:
  ModelMap(ModelMap&&) noexcept;
  ModelMap& operator=(ModelMap&&) noexcept;
  ~ModelMap();

  std::size_t size() const;
  /// `node` is less than size().
  Row row(std::size_t node) const;
  /// The numbers of all rows whose node has this name.
  std::vector<std::size_t> find(std::string_view name) const;
  /// The whole map, as `thence map --format json` prints it.
  std::string json() const;
  /// The explanation of a node's answer, as `thence explain` prints it.
  std::string explain(std::size_t node) const;
  const Diagnostics& diagnostics() const;

  /// All modules, parents before children; the first one is the root.
  std::vector<Module> modules() const;
  /// The initializers with the parameters that they hold, in file order. Reads the content of weights if the
  /// map has a capture with fingerprints, or if it was transferred.
  std::vector<Initializer> initializers() const;
  /// The rows that the selection chooses. An error if a selector is misspelt or matches nothing.
  Result<std::vector<std::size_t>> query(const Selection& selection) const;
  /// Maps a model that was derived from this one, by an optimiser or a quantiser. An error if they have too
  /// little in common. Rules and granularity apply to the new map.
  Result<ModelMap> transfer(const std::string& path, const Options& options = {}) const;
  /// Compares this model with another one, without the kinds in `ignored`.
  Result<Differences> diff(const ModelMap& other, const std::vector<DiffKind>& ignored = {}) const;
  /// Writes the model with a tag for each node. The file appears complete or not at all.
  Result<Tagged> tag(const std::string& output, const TagOptions& options = {}) const;
  /// Writes one module as a model. An error if there is no such module, or if it has no nodes.
  Result<Extracted> extract(const std::string& module, const std::string& output,
                            const ExtractOptions& options = {}) const;

 private:
  struct Impl;
  explicit ModelMap(std::shared_ptr<Impl> impl);
  friend Result<ModelMap> map_model(const std::string& path, const Options& options);
  friend Result<ModelMap> map_bytes(std::string_view bytes, const Options& options);
  std::shared_ptr<Impl> impl_;  // shared with maps that were transferred from this one
};

Result<ModelMap> map_model(const std::string& path, const Options& options = {});
/// Maps a model in memory. The bytes must outlive the map, and maps that are transferred from it.
Result<ModelMap> map_bytes(std::string_view bytes, const Options& options = {});

}  // namespace thence
