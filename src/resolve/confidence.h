// How sure an answer is, from a table measured on models with known truth (schema/calibration.json).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/source.h"

namespace thence::resolve {

/// Whether other sources name the same module as the one that decided.
enum class Agreement : std::uint8_t {
  confirmed,
  confirmed_by_disputed,  // by another recording whose own alignment is disputed
  alone,
  unconfirmed,  // another recording of the same forward, or the ancestor, does not place the node
  contradicted,
  count,
};

/// How an answer was inferred from others.
enum class Inference : std::uint8_t {
  shape_for_one_module,  // shapes and constants that one module reads
  distant_constant,      // the same for a constant that stands before another module's nodes in the file
  reordered_shape,       // the same by a recording, in a file that does not keep its order
  data_for_one_module,   // data that one module reads
  by_parameter,          // one module reads it, known by its parameters only
  common_module,         // the module that all its consumers have in common
  between,               // a node between two nodes of a block
  producer,              // no node reads it, and one module produced its inputs
  same_operation,        // another node of the same operation of torch.export has the module
  called,                // the body of a function, by the one module that calls it
  count,
};

/// A row of the table.
using Basis = std::uint16_t;

class ConfidenceTable {
 public:
  /// The table that ships with the program.
  static const ConfidenceTable& shipped();

  static Basis basis(evidence::Source source, evidence::Strength strength, Agreement agreement);
  /// An inference is no more certain than the least certain answer that it rests on.
  static Basis basis(Inference inference, float least_confidence);

  float of(Basis basis) const { return rows_[basis].confidence; }
  /// As the table has it: "onnx_scope_parsing/names_one/alone".
  const std::string& name_of(Basis basis) const { return rows_[basis].name; }

 private:
  ConfidenceTable();

  struct Row {
    std::string name;
    float confidence = 0;
  };
  std::vector<Row> rows_;
};

}  // namespace thence::resolve
