// How sure an answer is, from a table measured on models with known truth (schema/calibration.json).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "evidence/source.h"

namespace thence::resolve {

/// Whether other sources said the same as the one that won.
enum class Agreement { confirmed, alone, contradicted };

class Confidence {
 public:
  /// The table that ships with the program.
  static const Confidence& shipped();

  float of(evidence::Source source, evidence::Strength strength, Agreement agreement) const;
  /// Of an inference from neighbours, by its kind.
  float of_neighbours(std::string_view kind) const;

 private:
  float look_up(evidence::Source source, std::string_view key) const;

  std::map<std::string, std::map<std::string, float, std::less<>>, std::less<>> table_;
  float direct_[evidence::source_count][evidence::strength_count][3] = {};
};

}  // namespace thence::resolve
