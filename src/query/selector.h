// Selectors: choose nodes. Values of one kind combine with OR; different kinds combine with AND.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/glob.h"
#include "base/result.h"
#include "expression/syntax.h"
#include "query/layers.h"
#include "semantics/map.h"

namespace thence::query {

/// As written on the command line.
struct Selectors {
  std::vector<std::string> modules;  // globs of paths; "" and "(root)" are the root
  std::vector<std::string> under;    // globs of paths: the modules and everything inside them
  // Of the module, or of its hf_module; short or qualified.
  std::vector<std::string> classes;
  std::vector<std::string> roles;       // attention, self_attention
  std::vector<std::string> components;  // query
  std::vector<std::string> layers;      // 2, 0-3, 5-, -1
  std::vector<std::string> ops;         // MatMul, com.microsoft::*
  std::vector<std::string> parameters;  // globs of names in the state dict, or of initializers
  std::vector<std::string> sources;     // sources of the winning evidence
  double min_confidence = 0;
  bool unknown = false;  // only nodes without a module
  bool shared = false;   // also nodes that belong to such a module among others
  bool exact = false;    // match fused nodes by their primary module only
  std::string where;     // an expression (src/expression) that must hold as well; empty: none

  bool empty() const;
};

enum class SelectorKind : std::uint8_t {
  module,
  under,
  class_name,
  role,
  component,
  layer,
  op,
  parameter,
  source
};
inline constexpr std::size_t selector_kind_count = static_cast<std::size_t>(SelectorKind::source) + 1;

/// One value of one selector.
struct Term {
  SelectorKind kind;
  std::string text;  // as written
  base::Glob glob;
  std::optional<base::Glob> domain = {};  // of an operator; any if not given
  LayerRange layers = {};
};

class Selector {
 public:
  /// Returns a usage error if a selector is malformed, with the correct form.
  static Result<Selector> make(const Selectors& wanted);

  /// The matching nodes, in row order. Returns an error if a selector matches no node, or if no node matches
  /// all of them (Q002). The error names the selector and existing values. Names in selectors and in the
  /// expression are checked here (Q010), because they depend on the map.
  Result<std::vector<onnx::NodeId>> run(const semantics::Map& map) const;

  const std::vector<Term>& terms(SelectorKind kind) const { return terms_[static_cast<std::size_t>(kind)]; }
  double min_confidence() const { return min_confidence_; }
  bool unknown() const { return unknown_; }
  bool shared() const { return shared_; }
  bool is_exact() const { return is_exact_; }
  bool has_expression() const { return where_.has_value(); }

 private:
  /// Whether the verdict of a node matches. Terms check everything else.
  bool matches(const resolve::Attribution& answer) const;

  std::array<std::vector<Term>, selector_kind_count> terms_;
  double min_confidence_ = 0;
  bool unknown_ = false, shared_ = false, is_exact_ = false;
  std::optional<expression::Expression> where_;
};

/// The code of errors of which the cause may be the model: a selector matches nothing in it.
inline constexpr std::string_view no_match_code = "Q002";

/// The flag of a selector on the command line.
std::string_view flag_of(SelectorKind kind);

/// What a selector of this kind names: "module", "operator".
std::string_view noun_of(SelectorKind kind);

/// An error for the first operator, class, role or component that is not a glob and does not exist: it is
/// misspelt (Q010).
std::optional<Error> check_terms(const Selector& selector, const semantics::Map& map);

/// What a term matches: nothing, something without nodes, or nodes.
enum class Hit : std::uint8_t { nothing, without_nodes, nodes };

/// The error for a term that matches no node, with the nearest existing names.
Error no_match_error(const semantics::Map& map, const Term& term, Hit hit);
/// The error for selectors of which each matches nodes, but not all match the same node.
Error no_common_match_error(const Selector& selector);

}  // namespace thence::query
