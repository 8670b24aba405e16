// Finds the nodes that match a selector, in one pass.
#include <cmath>

#include "query/fitting.h"

namespace thence::query {
namespace {

using semantics::Map;

class Sources {
 public:
  explicit Sources(const Selector& selector) : terms_(selector.terms(Kind::source)), hits_(terms_.size()) {
    for (std::size_t source = 0; source < evidence::source_count; ++source)
      for (const Term& term : terms_)
        if (term.glob.matches_word(evidence::name_of(static_cast<evidence::Source>(source))))
          fits_[source] = true;
  }

  bool fits(const resolve::Attribution& answer) {
    if (terms_.empty()) return true;
    if (!answer.known() || !fits_[static_cast<std::size_t>(answer.source)]) return false;
    for (std::size_t i = 0; i < terms_.size(); ++i)
      if (hits_[i] == Hit::nothing && terms_[i].glob.matches_word(evidence::name_of(answer.source)))
        hits_[i] = Hit::nodes;
    return true;
  }
  const Hits& hits() const { return hits_; }

 private:
  const std::vector<Term>& terms_;
  Hits hits_;
  std::array<bool, evidence::source_count> fits_{};
};

// Returns an error for the first term of a kind that matches no node.
std::optional<Error> missed(const Map& map, const std::vector<Term>& terms, const Hits& hits) {
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (hits[i] != Hit::nodes) return fits_nothing(map, terms[i], hits[i]);
  return std::nullopt;
}

}  // namespace

// Compares with the four digits that are printed.
bool Selector::fits(const resolve::Attribution& answer) const {
  if (unknown_ && answer.known()) return false;
  return min_confidence_ <= 0 || std::round(answer.confidence * 1e4) >= min_confidence_ * 1e4 - 1e-6;
}

Result<std::vector<onnx::NodeId>> Selector::run(const Map& map) const {
  const FittingModules modules(map, *this);
  FittingOps ops(*this);
  FittingParameters parameters(map, *this);
  Sources sources(*this);
  std::vector<onnx::NodeId> found;
  for (onnx::NodeId id = 0; id < map.model().node_count(); ++id) {
    const onnx::Node node = map.model().node(id);
    const resolve::Attribution& answer = map.answer(id);
    // These are evaluated for every node, so that a term without matches is found.
    const bool op = ops.fits(node), parameter = parameters.fits(node), source = sources.fits(answer);
    if (!op || !parameter || !source) continue;
    if (modules.asked() && !modules.fits(id)) continue;
    if (fits(answer)) found.push_back(id);
  }
  for (std::size_t kind = 0; kind < kind_count; ++kind) {
    const Kind one = static_cast<Kind>(kind);
    const Hits& hits = one == Kind::op          ? ops.hits()
                       : one == Kind::parameter ? parameters.hits()
                       : one == Kind::source    ? sources.hits()
                                                : modules.hits(one);
    if (const std::optional<Error> error = missed(map, terms(one), hits)) return *error;
  }
  if (found.empty()) return fit_nothing_together(*this);
  return found;
}

}  // namespace thence::query
