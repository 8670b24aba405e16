// Fitting: the terms of a selector that are evaluated once per module, operator or initializer instead of
// once per node.
#pragma once

#include <unordered_map>
#include <vector>

#include "query/selector.h"

namespace thence::query {

using Hits = std::vector<Hit>;  // by term

/// The modules that match all terms about modules.
class FittingModules {
 public:
  FittingModules(const semantics::Map& map, const Selector& selector);

  /// Whether there are terms about modules.
  bool asked() const { return asked_; }
  bool fits(onnx::NodeId node) const;
  const Hits& hits(Kind kind) const { return hits_[static_cast<std::size_t>(kind)]; }

 private:
  template <class Test>
  void narrow(Kind kind, bool all_modules, Test test);
  void narrow_under();
  bool path_fits(const Term& term, modules::ModuleId module) const;

  const semantics::Map& map_;
  const Selector& selector_;
  bool asked_ = false;
  std::vector<bool> fits_;  // by module
  std::vector<bool> runs_;  // by module: whether a node belongs to it
  std::array<Hits, kind_count> hits_;
};

/// The operators that match.
class FittingOps {
 public:
  explicit FittingOps(const Selector& selector) : terms_(selector.terms(Kind::op)), hits_(terms_.size()) {}

  bool fits(const onnx::Node& node);
  const Hits& hits() const { return hits_; }

 private:
  struct Known {
    const char* domain;
    bool fits;
  };
  const std::vector<Term>& terms_;
  Hits hits_;
  std::unordered_map<const char*, Known> known_;  // by address of the name, because names are interned
};

/// The nodes that read a matching parameter, possibly through nodes that only change its form.
class FittingParameters {
 public:
  FittingParameters(const semantics::Map& map, const Selector& selector);

  bool fits(const onnx::Node& node);
  const Hits& hits() const { return hits_; }

 private:
  bool fits(std::string_view parameter, std::string_view name, Hit hit);

  const semantics::Map& map_;
  const std::vector<Term>& terms_;
  Hits hits_;
  std::vector<bool> wanted_;  // by initializer
  std::vector<bool> read_;    // by initializer: some checked node reads it
};

}  // namespace thence::query
