// Matchers of the terms of a selector that are evaluated once per module, operator or initializer instead of
// once per node.
#pragma once

#include <unordered_map>
#include <vector>

#include "query/selector.h"
#include "weights/weight.h"

namespace thence::query {

using Hits = std::vector<Hit>;  // by term

/// The modules that match all terms about modules.
class ModuleMatcher {
 public:
  ModuleMatcher(const semantics::Map& map, const Selector& selector);

  /// Whether there are terms about modules.
  bool has_terms() const { return has_terms_; }
  bool matches(onnx::NodeId node) const;
  const Hits& hits(SelectorKind kind) const { return hits_[static_cast<std::size_t>(kind)]; }

 private:
  template <class Read>
  void restrict_to(SelectorKind kind, bool all_modules, Read read);
  void restrict_to_subtrees();
  void restrict_to_layers();
  /// Whether the node is matched by all modules that are listed for it: fused nodes, and others on request.
  bool has_members(onnx::NodeId node) const;
  bool path_matches(const Term& term, modules::ModuleId module) const;

  const semantics::Map& map_;
  const Selector& selector_;
  bool has_terms_ = false;
  std::vector<bool> matches_;    // by module
  std::vector<bool> has_nodes_;  // by module: whether a node belongs to it
  std::array<Hits, selector_kind_count> hits_;
};

/// The operators that match.
class OpMatcher {
 public:
  explicit OpMatcher(const Selector& selector)
      : terms_(selector.terms(SelectorKind::op)), hits_(terms_.size()) {}

  bool matches(const onnx::Node& node);
  const Hits& hits() const { return hits_; }

 private:
  struct CachedMatch {
    const char* domain;
    bool matches;
  };
  const std::vector<Term>& terms_;
  Hits hits_;
  std::unordered_map<const char*, CachedMatch> cache_;  // by address of the name, because names are interned
};

/// The nodes that read a matching parameter, possibly through nodes that only change its form.
class ParameterMatcher {
 public:
  ParameterMatcher(const semantics::Map& map, const Selector& selector);

  bool matches(const onnx::Node& node);
  const Hits& hits() const { return hits_; }

 private:
  bool matches(std::string_view name, Hit hit);
  /// By its name in the file, or by a parameter that it holds.
  bool matches_initializer(std::size_t initializer, Hit hit);

  const semantics::Map& map_;
  const std::vector<Term>& terms_;
  Hits hits_;
  std::vector<weights::Weight> weights_;  // by initializer
  std::vector<bool> matching_;            // by initializer
  std::vector<bool> is_read_;             // by initializer: some checked node reads it
};

}  // namespace thence::query
