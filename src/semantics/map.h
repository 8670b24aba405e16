// Map: the whole answer. A model, its modules, a verdict for every node, and what that means in people's
// words.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "base/result.h"
#include "hierarchy/hierarchy.h"
#include "modules/class_filter.h"
#include "onnx/model.h"
#include "resolve/attribution.h"
#include "resolve/lent.h"
#include "resolve/resolve.h"
#include "resolve/strategy.h"
#include "rules/rules.h"
#include "semantics/roles.h"
#include "semantics/tags.h"
#include "semantics/told.h"
#include "semantics/written_tags.h"

namespace thence::semantics {

struct MapOptions {
  std::string strategy = "auto";
  std::string capture;  // path of a capture file; empty: none
  std::optional<std::vector<std::string>> torch_nn_exceptions;
  TagFormat tag_format = TagFormat::ordinal;
  std::string rules;  // path of a rules file; empty: none
  std::optional<rules::Granularity>
      granularity;           // empty: custom where rules choose modules, else all as they are
  unsigned jobs = 1;         // threads
  bool ignore_tags = false;  // read the file as if thence had written none
};

/// What is said of a module, whatever the node.
struct ModuleFacts {
  modules::ModuleId hf_module = modules::no_module;
  std::string tag;
  std::vector<modules::LayerStep> layers;
  Role role;
  std::string scope_path;
};

/// An initializer's row.
struct InitializerRow {
  std::string_view name;
  modules::ModuleId module = modules::no_module;
  std::string_view parameter;              // empty when the name tells none
  std::vector<modules::ModuleId> modules;  // of the nodes that read it
};

struct Summary {
  std::size_t nodes = 0, direct = 0, inferred = 0, unknown = 0;
  std::array<std::size_t, evidence::source_count> by_source{};
  std::size_t modules = 0, executed = 0;
};

class Map {
 public:
  static Result<Map> make(const std::string& model_path, const MapOptions& options);
  /// With the answers of an ancestor, and its modules.
  static Result<Map> make(const std::string& model_path, const MapOptions& options,
                          const resolve::Lender& lender);
  /// Of bytes that outlive the map.
  static Result<Map> make(std::string_view bytes, const std::string& label, const MapOptions& options);

  const onnx::Model& model() const { return *model_; }
  const hierarchy::Hierarchy& hierarchy() const { return *hierarchy_; }
  /// The modules as they are told: the model's own, or what rules and granularity make of them.
  const modules::ModuleTree& tree() const { return told_ ? told_->view.tree : own_tree(); }
  const evidence::Sink& evidence() const { return *evidence_; }
  const resolve::Strategy& strategy() const { return strategy_; }
  const resolve::Attribution& answer(onnx::NodeId node) const { return resolution().nodes[node]; }
  /// Every module a node serves, the primary first; cut short where their paths would fill pages.
  std::vector<modules::ModuleId> modules_of(onnx::NodeId node) const {
    return listed(resolution(), tree(), node);
  }

  /// The same as the model itself has it, for evidence and for what must be true without any rules.
  const modules::ModuleTree& own_tree() const { return hierarchy_->tree(); }
  const resolve::Attribution& own_answer(onnx::NodeId node) const { return resolution_.nodes[node]; }
  std::vector<modules::ModuleId> own_modules_of(onnx::NodeId node) const {
    return listed(resolution_, own_tree(), node);
  }
  modules::ModuleId told_as(modules::ModuleId own) const { return told_ ? told_->view.told_as[own] : own; }
  /// What rules made of it; none when they had no say.
  const Told* told() const { return told_.get(); }

  /// What an ancestor lent; none when there was none.
  const resolve::Lent* lent() const { return lent_.get(); }

  const Diagnostics& diagnostics() const { return diagnostics_; }

  /// Good until the next call: nodes of one module follow one another, so the last few hundred are kept.
  /// Not for several threads at once; each of those has a RoleReader of its own and calls read_facts().
  const ModuleFacts& facts(modules::ModuleId module) const;
  void read_facts(modules::ModuleId module, RoleReader& roles, ModuleFacts& facts) const;
  Role role(modules::ModuleId module) const { return role(module, *roles_); }
  /// The nearest module that is the model's own, as in ModuleFacts.
  modules::ModuleId hf_module(modules::ModuleId module) const;
  /// The repeated blocks that a module lies in, as in ModuleFacts: the model's own, whatever they are called.
  std::vector<modules::LayerStep> layers(modules::ModuleId module) const;
  Summary summary() const;
  std::vector<InitializerRow> initializer_rows() const;
  /// Whose each initializer is: by its name, else the one module whose nodes read it.
  std::vector<modules::ModuleId> initializer_owners() const;
  /// The tag of a node without a module; mostly empty.
  std::string tag_of_unknown() const;
  /// The reason to print: why there is no module, or why there are no classes; empty when nothing is missing.
  std::string_view reason(onnx::NodeId node) const;

 private:
  Map() = default;
  Role role(modules::ModuleId module, RoleReader& roles) const {
    return told_ ? told_->role(own_tree(), module, roles) : roles.of(tree(), module);
  }
  const resolve::Resolution& resolution() const { return told_ ? told_->resolution : resolution_; }
  std::vector<modules::ModuleId> listed(const resolve::Resolution& resolution,
                                        const modules::ModuleTree& tree, onnx::NodeId node) const;
  /// Whose an initializer is by its name.
  modules::ModuleId named_owner(std::size_t initializer) const;
  std::optional<Error> retell(std::unique_ptr<const rules::Rules> rules, const MapOptions& options);
  void shorten_lists();
  void tell_what_was_left_out();
  static Result<Map> finish(Map map, Result<onnx::Model> model, const MapOptions& options,
                            const resolve::Lender& lender = {});

  Diagnostics diagnostics_;
  std::unique_ptr<onnx::Model> model_;  // on the heap, so that views stay valid when the map moves
  std::unique_ptr<hierarchy::Hierarchy> hierarchy_;
  std::unique_ptr<resolve::Lent> lent_;
  std::unique_ptr<evidence::Sink> evidence_;
  resolve::Strategy strategy_;
  resolve::Resolution resolution_;
  std::unique_ptr<modules::ClassFilter> filter_;
  std::unique_ptr<Told> told_;  // none: as the model has it
  std::unique_ptr<Tags> tags_;
  WrittenTags written_;
  std::size_t most_listed_ = 4096;  // see modules_of()
  std::unique_ptr<RoleReader> roles_ = std::make_unique<RoleReader>();
  using KeptFacts = std::unordered_map<modules::ModuleId, ModuleFacts>;
  std::unique_ptr<KeptFacts> facts_ = std::make_unique<KeptFacts>();
};

std::string_view level_of(const resolve::Attribution& answer);

}  // namespace thence::semantics
