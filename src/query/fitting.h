// Fitting: the parts of a selector that are asked once, of a module, an operator or an initializer, instead
// of once for every node.
#pragma once

#include <unordered_map>
#include <vector>

#include "query/selector.h"

namespace thence::query {

using Hits = std::vector<Hit>;  // by term

/// Which modules fit everything that is said of modules.
class FittingModules {
 public:
  FittingModules(const semantics::Map& map, const Selector& selector);

  /// Whether anything is said of modules at all.
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
  std::vector<bool> runs_;  // whether any node is a module's
  std::array<Hits, kind_count> hits_;
};

/// Which operators fit.
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
  std::unordered_map<const char*, Known> known_;  // by where the name lies: names are interned
};

/// Which nodes read a parameter that fits, perhaps after steps that only change its form.
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
  std::vector<bool> read_;    // by initializer: some node that was asked about reads it
};

}  // namespace thence::query
