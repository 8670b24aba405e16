// How sure an answer is, from a table measured on models with known truth (schema/calibration.json).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/source.h"

namespace thence::resolve {

/// Whether other sources said the same as the one that won.
enum class Agreement : std::uint8_t {
  confirmed,
  confirmed_loosely,  // by another recording that has doubts itself
  alone,
  unconfirmed,  // another recording of the same forward could have said so, and is silent
  contradicted,
  count,
};

/// How an answer was found from others.
enum class Inference : std::uint8_t {
  one_owner,     // what is no data belongs to the one module that reads it
  from_afar,     // the same of a constant that stands before another module's nodes in the file
  out_of_order,  // the same of what a recording's steps tell, in a file that does not keep their order
  one_reader,    // data that one module reads
  by_parameter,  // one module reads it, and parameters are all that speaks for that
  common_owner,  // what all who read it have in common
  between,       // a node between two of a block
  producer,      // nobody reads it, and one module made what it is made of
  called,        // the body of a function, by the one module that calls it
  count,
};

/// What an answer rests on: a row of the table.
using Basis = std::uint16_t;

class Confidence {
 public:
  /// The table that ships with the program.
  static const Confidence& shipped();

  static Basis basis(evidence::Source source, evidence::Strength strength, Agreement agreement);
  /// No inference is surer than what it rests on: the least sure of it counts.
  static Basis basis(Inference inference, float least_sure);

  float of(Basis basis) const { return rows_[basis].confidence; }
  /// As the table has it: "onnx_scope_parsing/names_one/alone".
  const std::string& name_of(Basis basis) const { return rows_[basis].name; }

 private:
  Confidence();

  struct Row {
    std::string name;
    float confidence = 0;
  };
  std::vector<Row> rows_;
};

}  // namespace thence::resolve
