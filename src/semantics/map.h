// Map: the complete result. A model, its modules, the answer for each node, and the roles of the modules.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "base/result.h"
#include "capture/capture.h"
#include "evidence/ancestor.h"
#include "hierarchy/hierarchy.h"
#include "modules/class_filter.h"
#include "onnx/model.h"
#include "resolve/attribution.h"
#include "resolve/resolve.h"
#include "resolve/strategy.h"
#include "rules/rules.h"
#include "semantics/module_operations.h"
#include "semantics/module_view.h"
#include "semantics/roles.h"
#include "semantics/tags.h"
#include "semantics/thresholds.h"
#include "semantics/written_tags.h"

namespace thence::semantics {

struct MapOptions {
  std::string strategy = "auto";
  std::string capture;                            // path of a capture file; empty: none
  std::optional<capture::Checkpoint> checkpoint;  // a saved model in place of a capture
  std::optional<std::vector<std::string>> torch_nn_exceptions;
  TagFormat tag_format = TagFormat::ordinal;
  std::string rules;                              // path of a rules file; empty: none
  std::optional<rules::Granularity> granularity;  // empty: custom if rules select modules, else as_is
  unsigned jobs = 1;                              // threads
  bool ignore_tags = false;                       // do not read tags of thence
};

/// The fields of a row that depend only on its module.
struct ModuleFacts {
  modules::ModuleId hf_module = modules::no_module;
  std::string tag;
  std::vector<modules::LayerStep> layers;
  Role role;
  std::string scope_path;
};

/// The row of an initializer.
struct InitializerRow {
  std::string_view name;
  modules::ModuleId module = modules::no_module;
  std::string_view parameter;              // empty if the name contains none
  std::vector<modules::ModuleId> modules;  // of its consumers
};

struct Summary {
  std::size_t nodes = 0, direct = 0, inferred = 0, unknown = 0;
  std::array<std::size_t, evidence::source_count> by_source{};
  std::size_t modules = 0, executed = 0;
};

/// The results of the previous stages. They are on the heap if others point into them, so that a map can
/// move.
struct MapParts {
  Diagnostics diagnostics;
  std::unique_ptr<onnx::Model> model;
  std::unique_ptr<evidence::AncestorAnswers> ancestor;  // null if the model was not derived from another
  std::unique_ptr<hierarchy::Hierarchy> hierarchy;
  std::unique_ptr<evidence::Sink> evidence;
  resolve::Strategy strategy;
  resolve::Resolution resolution;
  std::unique_ptr<modules::ClassFilter> filter;
};

/// Decides which classes are the model's own: by the options, else by the rules, if there are any.
std::unique_ptr<modules::ClassFilter> class_filter(const MapOptions& options, const rules::Rules* rules);

class Map {
 public:
  /// Returns an error if rules or granularity do not suit the model. Without rules (nullptr), the options
  /// decide.
  static Result<Map> make(MapParts parts, std::unique_ptr<const rules::Rules> rules,
                          const MapOptions& options);

  const onnx::Model& model() const { return *parts_.model; }
  const hierarchy::Hierarchy& hierarchy() const { return *parts_.hierarchy; }
  /// The modules as reported: the model's own, or those of the view.
  const modules::ModuleTree& tree() const { return view_ ? view_->view.tree : own_tree(); }
  const evidence::Sink& evidence() const { return *parts_.evidence; }
  const resolve::Strategy& strategy() const { return parts_.strategy; }
  const resolve::Attribution& answer(onnx::NodeId node) const { return resolution().nodes[node]; }
  /// Every module that a node belongs to, the primary one first. The list is cut at a limit on the length of
  /// its paths.
  std::vector<modules::ModuleId> modules_of(onnx::NodeId node) const {
    return list_modules(resolution(), tree(), node);
  }

  /// The same in terms of the model's own modules, which evidence and tags refer to.
  const modules::ModuleTree& own_tree() const { return parts_.hierarchy->tree(); }
  const resolve::Attribution& own_answer(onnx::NodeId node) const { return parts_.resolution.nodes[node]; }
  const resolve::Resolution& own_resolution() const { return parts_.resolution; }
  std::vector<modules::ModuleId> own_modules_of(onnx::NodeId node) const {
    return list_modules(parts_.resolution, own_tree(), node);
  }
  /// What each of own_modules_of() does in a fused node; null if that is not known.
  const std::vector<evidence::Part>* own_parts_of(onnx::NodeId node) const {
    const auto found = parts_.resolution.parts.find(node);
    return found == parts_.resolution.parts.end() ? nullptr : &found->second;
  }
  modules::ModuleId shown_as(modules::ModuleId own) const {
    return view_ ? view_->view.reported_as[own] : own;
  }
  /// Null without rules and granularity.
  const ModuleView* module_view() const { return view_.get(); }

  /// The answers of the ancestor; null without one.
  const evidence::AncestorAnswers* ancestor() const { return parts_.ancestor.get(); }

  const Diagnostics& diagnostics() const { return parts_.diagnostics; }

  /// Valid until the next call. The last few hundred are cached, because nodes of one module are neighbours.
  /// Not thread-safe: each thread must call read_facts() with its own RoleReader.
  const ModuleFacts& facts(modules::ModuleId module) const;
  void read_facts(modules::ModuleId module, RoleReader& roles, ModuleFacts& facts) const;
  Role role(modules::ModuleId module) const { return role(module, *roles_); }
  /// Whether only names of nodes mention the path, which are those of the tool that wrote the file.
  bool is_scope(modules::ModuleId module) const {
    return own_tree()[view_ ? view_->view.originals[module] : module].is_scope;
  }
  /// "module" or "scope" (see is_scope); empty if the node has no module.
  std::string_view module_kind(onnx::NodeId node) const {
    const resolve::Attribution& found = answer(node);
    return !found.known() ? std::string_view() : is_scope(found.module) ? "scope" : "module";
  }
  /// The nearest module that is the model's own, as in ModuleFacts.
  modules::ModuleId hf_module(modules::ModuleId module) const;
  /// The repeated blocks around a module, as in ModuleFacts: those of the model, not of the view.
  std::vector<modules::LayerStep> layers(modules::ModuleId module) const;
  Summary summary() const;
  std::vector<InitializerRow> initializer_rows() const;
  /// The module of each initializer: by its name, else the only module whose nodes read it.
  std::vector<modules::ModuleId> initializer_owners() const;
  /// The tag of a node without a module; mostly empty.
  std::string tag_of_unknown() const;
  /// The reason to print: why there is no module, or why there are no classes; empty if neither is missing.
  std::string_view reason(onnx::NodeId node) const;

 private:
  explicit Map(MapParts parts) : parts_(std::move(parts)) {}
  Role role(modules::ModuleId module, RoleReader& roles) const {
    return view_ ? view_->role(own_tree(), operations(), module, roles)
                 : roles.of(tree(), module, operations().of(module));
  }
  /// Found on the first call, by whichever thread makes it.
  const ModuleOperations& operations() const;
  const resolve::Resolution& resolution() const { return view_ ? view_->resolution : parts_.resolution; }
  std::vector<modules::ModuleId> list_modules(const resolve::Resolution& resolution,
                                              const modules::ModuleTree& tree, onnx::NodeId node) const;
  /// The owner of an initializer by its name.
  modules::ModuleId named_owner(std::size_t initializer) const;
  std::optional<Error> apply_rules(std::unique_ptr<const rules::Rules> rules, const MapOptions& options);
  void shorten_lists();
  void report_stale_tags();

  MapParts parts_;
  std::unique_ptr<ModuleView> view_;  // null if the model's own modules are reported
  std::unique_ptr<Tags> tags_;
  WrittenTags written_tags_;
  std::size_t max_listed_ = max_listed_bytes;  // limit of modules_of()
  struct LazyOperations {
    std::once_flag is_found;
    std::optional<ModuleOperations> operations;
  };
  std::unique_ptr<LazyOperations> operations_ = std::make_unique<LazyOperations>();
  std::unique_ptr<RoleReader> roles_ = std::make_unique<RoleReader>();
  using CachedFacts = std::unordered_map<modules::ModuleId, ModuleFacts>;
  std::unique_ptr<CachedFacts> facts_ = std::make_unique<CachedFacts>();
};

std::string_view level_of(const resolve::Attribution& answer);

}  // namespace thence::semantics
