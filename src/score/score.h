// Score: compares a map with the truth, node by node.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "score/truth.h"
#include "semantics/map.h"

namespace thence::score {

/// The result for a node that has a truth.
enum class Outcome : std::uint8_t {
  exact,
  enclosing,     // a module that contains the true one
  cross_layer,   // a module in another layer
  wrong_branch,  // any other module
  unknown,       // no answer
};
inline constexpr std::size_t outcome_count = 5;
std::string_view name_of(Outcome outcome);

struct Counts {
  std::array<std::size_t, outcome_count> by_outcome{};
  std::size_t operator[](Outcome outcome) const { return by_outcome[static_cast<std::size_t>(outcome)]; }
  std::size_t with_truth() const;  // nodes with a truth
  std::size_t answered() const { return with_truth() - (*this)[Outcome::unknown]; }
  std::size_t wrong() const;
};

/// Answers with a confidence in [from, to); the last band includes its end.
struct Band {
  float from = 0, to = 0;
  std::size_t answers = 0, exact = 0;
  double confidence = 0;  // the sum
};

/// Nodes without a truth, because the exporter created them. The right answer is the module of their
/// consumers.
struct ExporterNodes {
  std::size_t nodes = 0;  // nodes with known consumers
  // Answered with the module of their consumers, or the nearest module around all of them.
  std::size_t owner = 0;
  std::size_t answered = 0;  // answered with any module
};

/// Answers with the same basis, and therefore the same confidence.
struct BasisCounts {
  std::size_t answers = 0, exact = 0;
};

/// Which call of the module made each node, for nodes with the true module whose call is recorded.
struct CallOutcomes {
  std::size_t right = 0, wrong = 0, unknown = 0;
  std::size_t all() const { return right + wrong + unknown; }
};

/// The modules of fused nodes, for nodes with the true module whose members are recorded.
struct MemberOutcomes {
  std::size_t nodes = 0;                             // nodes with several members
  std::size_t complete = 0;                          // of those: with all members and no other
  std::size_t expected = 0, missing = 0, extra = 0;  // members
  std::size_t shared = 0;  // nodes with one member whose answer has more: mostly merged by the exporter
};

struct Score {
  std::size_t nodes = 0;
  Counts counts;
  std::size_t hf_exact = 0;           // answers with the true hf_module
  std::size_t enclosing_steps = 0;    // the sum of the distances of all ancestors
  std::size_t confidently_wrong = 0;  // with a confidence of 0.9 or more
  std::vector<Band> bands;            // ten bands of equal width
  double calibration_error = 0;       // expected calibration error, over the bands
  double ranking = 1;  // AUROC: the probability that an exact answer has a higher confidence than a wrong one
  ExporterNodes exporter_nodes;
  CallOutcomes calls;
  MemberOutcomes members;
  std::map<std::string_view, Counts> by_source;
  std::map<resolve::Basis, BasisCounts> by_basis;
  std::map<std::string, Counts> by_op_type;
  std::map<std::string, Counts> by_kind;  // if the truth gives the kind of each node
};

/// Returns an error if the truth is of another model.
Result<Score> score(const semantics::Map& map, const Truth& truth, const std::string& truth_label);

/// A figure by its name in `--require` and in JSON; empty if no figure has this name.
struct Figure {
  std::string_view name;
  double value = 0;
  bool is_larger_better = true;
};
std::vector<Figure> figures(const Score& score);

}  // namespace thence::score
