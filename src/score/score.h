// Score: a map held against the truth, node by node.
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

/// What an answer is, where there is a truth.
enum class Verdict : std::uint8_t {
  exact,
  ancestor,      // a module around the true one
  cross_layer,   // a place in another layer
  wrong_branch,  // any other module
  unknown,       // no answer
};
inline constexpr std::size_t verdict_count = 5;
std::string_view name_of(Verdict verdict);

struct Counts {
  std::array<std::size_t, verdict_count> of{};
  std::size_t operator[](Verdict verdict) const { return of[static_cast<std::size_t>(verdict)]; }
  std::size_t told() const;  // nodes that have a truth
  std::size_t answered() const { return told() - (*this)[Verdict::unknown]; }
  std::size_t wrong() const;
};

/// Answers whose confidence lies in [from, to), the last one with its end.
struct Band {
  float from = 0, to = 0;
  std::size_t answers = 0, exact = 0;
  double confidence = 0;  // the sum
};

/// Nodes that have no truth since the exporter made them: by rights they are their consumers'.
struct Made {
  std::size_t nodes = 0;     // whose consumers are known
  std::size_t owner = 0;     // answered with their module, or the nearest around all of theirs
  std::size_t answered = 0;  // with any module
};

/// Answers that rest on the same, and so have the same confidence.
struct Rested {
  std::size_t answers = 0, exact = 0;
};

struct Score {
  std::size_t nodes = 0;
  Counts counts;
  std::size_t hf_exact = 0;           // answers with the true hf_module
  std::size_t ancestor_steps = 0;     // how far up all ancestors lie, together
  std::size_t confidently_wrong = 0;  // at a confidence of 0.9 or more
  std::vector<Band> bands;            // ten of equal width
  double calibration_error = 0;       // expected, over the bands
  double ranking = 1;                 // AUROC: how often an exact answer is more confident than a wrong one
  Made made;
  std::map<std::string_view, Counts> by_source;
  std::map<resolve::Basis, Rested> by_basis;
  std::map<std::string, Counts> by_op_type;
  std::map<std::string, Counts> by_kind;  // where the truth tells what a node works on
};

/// An error when the truth is of another model.
Result<Score> score(const semantics::Map& map, const Truth& truth, const std::string& truth_label);

/// A figure by the name it goes by in `--require` and in JSON; empty when there is none of that name.
struct Figure {
  std::string_view name;
  double value = 0;
  bool at_least = true;  // more is better
};
std::vector<Figure> figures(const Score& score);

}  // namespace thence::score
