// Verification: which matches of two models the numbers confirm or refute, if both models were run.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace thence::evidence {

struct Verification {
  struct Refuted {
    std::size_t claim = 0;       // its place among the claims
    std::string node, location;  // its name, and `graph#index`
    std::string value, ancestor_value;
    std::optional<double>
        deviation;  // how far apart the numbers are, by how much they vary; none: other sizes
  };

  std::string ancestor, descendant;  // the files
  std::string not_run;               // why the models could not be run; nothing is known then
  std::size_t claims = 0, confirmed = 0;
  std::vector<Refuted> refuted;
  std::map<std::string, std::size_t, std::less<>> not_comparable;  // by why
};

}  // namespace thence::evidence
