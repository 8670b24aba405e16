// Finds the nodes that match a selector, in one pass.
#include <cmath>

#include "expression/predicate.h"
#include "query/term_matchers.h"

namespace thence::query {
namespace {

using semantics::Map;

class SourceMatcher {
 public:
  explicit SourceMatcher(const Selector& selector)
      : terms_(selector.terms(SelectorKind::source)), hits_(terms_.size()) {
    for (std::size_t source = 0; source < evidence::source_count; ++source)
      for (const Term& term : terms_)
        if (term.glob.matches_word(evidence::name_of(static_cast<evidence::Source>(source))))
          matches_[source] = true;
  }

  bool matches(const resolve::Attribution& answer) {
    if (terms_.empty()) return true;
    if (!answer.known() || !matches_[static_cast<std::size_t>(answer.source)]) return false;
    for (std::size_t i = 0; i < terms_.size(); ++i)
      if (hits_[i] == Hit::nothing && terms_[i].glob.matches_word(evidence::name_of(answer.source)))
        hits_[i] = Hit::nodes;
    return true;
  }
  const Hits& hits() const { return hits_; }

 private:
  const std::vector<Term>& terms_;
  Hits hits_;
  std::array<bool, evidence::source_count> matches_{};
};

// The matchers of all terms.
struct Matchers {
  Matchers(const Map& map, const Selector& selector)
      : modules(map, selector), ops(selector), parameters(map, selector), sources(selector) {}

  bool match(const Map& map, onnx::NodeId id) {
    const onnx::Node node = map.model().node(id);
    // These are evaluated for every node, so that a term without matches is found.
    const bool op = ops.matches(node), parameter = parameters.matches(node),
               source = sources.matches(map.answer(id));
    return op && parameter && source && (!modules.has_terms() || modules.matches(id));
  }

  const Hits& hits(SelectorKind kind) const {
    switch (kind) {
      case SelectorKind::op: return ops.hits();
      case SelectorKind::parameter: return parameters.hits();
      case SelectorKind::source: return sources.hits();
      default: return modules.hits(kind);
    }
  }

  const ModuleMatcher modules;
  OpMatcher ops;
  ParameterMatcher parameters;
  SourceMatcher sources;
};

// Returns an error for the first term of a kind that matches no node.
std::optional<Error> find_missed_term(const Map& map, const std::vector<Term>& terms, const Hits& hits) {
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (hits[i] != Hit::nodes) return no_match_error(map, terms[i], hits[i]);
  return std::nullopt;
}

}  // namespace

// Compares with the four digits that are printed.
bool Selector::matches(const resolve::Attribution& answer) const {
  if (unknown_ && answer.known()) return false;
  return min_confidence_ <= 0 || std::round(answer.confidence * 1e4) >= min_confidence_ * 1e4 - 1e-6;
}

Result<std::vector<onnx::NodeId>> Selector::run(const Map& map) const {
  if (auto error = check_terms(*this, map)) return *std::move(error);
  Matchers matchers(map, *this);
  std::optional<expression::Predicate> where;
  if (where_) {
    Result<expression::Predicate> bound = expression::Predicate::bind(*where_, map);
    if (!bound) return bound.error();
    where.emplace(*std::move(bound));
  }
  std::vector<onnx::NodeId> found;
  for (onnx::NodeId id = 0; id < map.model().node_count(); ++id)
    if (matchers.match(map, id) && matches(map.answer(id)) && (!where || where->matches(id)))
      found.push_back(id);
  for (std::size_t kind = 0; kind < selector_kind_count; ++kind) {
    const SelectorKind one = static_cast<SelectorKind>(kind);
    if (const std::optional<Error> error = find_missed_term(map, terms(one), matchers.hits(one)))
      return *error;
  }
  if (found.empty()) return no_common_match_error(*this);
  return found;
}

}  // namespace thence::query
