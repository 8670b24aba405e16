// EmissionTable: which ONNX operators an operation of PyTorch becomes, as learned from exports
// (schema/operators.json).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace thence::match {

/// The nodes that an operation emits. All numbers are probabilities.
struct OpEmission {
  float skip_probability = 0;                        // it emits no node
  float repeat_probability = 0;                      // after a node, it emits another one
  std::unordered_map<std::string, float> operators;  // by operator: a node that it emits has this operator
};

/// Whether an operation of PyTorch and an operator have the same name: aten.hardswish.default, HardSwish.
bool same_op_name(std::string_view operation, std::string_view op);

/// The emissions of one exporter.
class EmissionTable {
 public:
  EmissionTable(std::string exporter, std::unordered_map<std::string, OpEmission> emissions);

  const std::string& exporter() const { return exporter_; }
  bool knows_operator(std::string_view op) const { return operators_.contains(std::string(op)); }
  /// For an operation that the table does not have: by its name.
  OpEmission emission(std::string_view operation) const;
  const std::unordered_map<std::string, OpEmission>& emissions() const { return emissions_; }

  /// The tables that ship with the program, one for each exporter.
  static const std::vector<EmissionTable>& shipped();

 private:
  OpEmission emission_by_name(std::string_view name) const;

  std::string exporter_;
  std::unordered_map<std::string, OpEmission> emissions_;
  std::unordered_map<std::string, float> operators_;  // with their frequencies
};

}  // namespace thence::match
