// Members: the ancestor has equal expressions; which of them a value of the descendant is, its readers say.
#pragma once

#include <unordered_map>
#include <vector>

#include "transfer/pairing.h"

namespace thence::transfer {

class Members {
 public:
  /// The pairing outlives it.
  Members(const Net& ancestor, const Net& descendant, const Pairing& pairing);

  /// The ancestor's root that a root of the descendant is; none when it has no partner.
  Root chosen(Root ours) const { return chosen_[ours]; }
  /// Whether it may be any of several, and nothing tells which.
  bool is_open(Root ours) const { return open_[ours]; }
  /// Beside the chosen one: those that it may be as well or, where they were merged, is as well.
  std::vector<Root> others(Root ours) const;

 private:
  std::vector<Root> told_by_readers(const Net& ancestor, const Net& descendant, Root ours) const;

  const Pairing& pairing_;
  std::vector<Root> chosen_;  // by root of the descendant
  std::vector<bool> open_;
  std::unordered_map<Root, std::vector<Root>> merged_;
};

}  // namespace thence::transfer
