// Selectors: which nodes a user means. Values of one kind are alternatives; different kinds must all fit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/glob.h"
#include "base/result.h"
#include "query/layers.h"
#include "semantics/map.h"

namespace thence::query {

/// As they are written on a command line.
struct Selectors {
  std::vector<std::string> modules;     // globs of paths; "" and "(root)" are the root
  std::vector<std::string> under;       // globs of paths: these and all inside
  std::vector<std::string> classes;     // of the module, or of the model's own around it; bare or qualified
  std::vector<std::string> roles;       // attention, self_attention
  std::vector<std::string> components;  // query
  std::vector<std::string> layers;      // 2, 0-3, 5-
  std::vector<std::string> ops;         // MatMul, com.microsoft::*
  std::vector<std::string> parameters;  // globs of names in the state dict, or of initializers
  std::vector<std::string> sources;     // of the evidence that won
  double min_confidence = 0;
  bool unknown = false;  // only nodes without a module
  bool shared = false;   // also nodes that serve such a module among others

  bool empty() const;
};

enum class Kind : std::uint8_t { module, under, class_name, role, component, layer, op, parameter, source };
inline constexpr std::size_t kind_count = static_cast<std::size_t>(Kind::source) + 1;

/// One value of one selector.
struct Term {
  Kind kind;
  std::string text;  // as it was written
  base::Glob glob;
  std::optional<base::Glob> domain = {};  // of an operator; any when it was not said
  LayerRange layers = {};
};

class Selector {
 public:
  /// An error is one of usage: what is malformed, and how it is written.
  static Result<Selector> make(const Selectors& wanted);

  /// The nodes that fit, in the order of rows. It is an error if a selector fits none, or all together: it
  /// says which, and what there is.
  Result<std::vector<onnx::NodeId>> run(const semantics::Map& map) const;

  const std::vector<Term>& terms(Kind kind) const { return terms_[static_cast<std::size_t>(kind)]; }
  double min_confidence() const { return min_confidence_; }
  bool unknown() const { return unknown_; }
  bool shared() const { return shared_; }

 private:
  /// Whether a node's verdict is wanted; the terms ask for the rest.
  bool fits(const resolve::Attribution& answer) const;

  std::array<std::vector<Term>, kind_count> terms_;
  double min_confidence_ = 0;
  bool unknown_ = false, shared_ = false;
};

/// How a selector is called on the command line.
std::string_view flag_of(Kind kind);

/// What a term fits: nothing, something that no node has, or nodes.
enum class Hit : std::uint8_t { nothing, without_nodes, nodes };

/// What to say of a term that fits no node: the nearest names that exist.
Error fits_nothing(const semantics::Map& map, const Term& term, Hit hit);
/// And of selectors that fit nodes, but no node all of them.
Error fit_nothing_together(const Selector& selector);

}  // namespace thence::query
