// OperatorTable: what is known of the operator of each node, looked up once per operator name and model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dataflow/operator_traits.h"
#include "onnx/model.h"

namespace thence::dataflow {

/// Numbers for operator names, shared by the models that are compared.
class OperatorIds {
 public:
  std::uint32_t id(std::string_view name);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
};

struct OperatorInfo {
  std::string_view name;
  OperatorTraits traits;
  std::uint32_t id = 0;      // in OperatorIds
  bool is_primitive = true;  // false if primitives_of() splits its nodes, or renames them
};

class OperatorTable {
 public:
  OperatorTable(const onnx::Model& model, OperatorIds& ids);

  const OperatorInfo& of(onnx::NodeId node) const { return operators_[of_node_[node]]; }

 private:
  std::vector<OperatorInfo> operators_;
  std::vector<std::uint32_t> of_node_;
};

}  // namespace thence::dataflow
