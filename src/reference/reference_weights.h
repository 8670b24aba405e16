// ReferenceWeights: samples of the parameters of a reference model, read on demand.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/capture.h"

namespace thence::reference {

using ParameterId = std::uint32_t;

/// A parameter as a matrix of its first axis and the others. A vector is a column.
struct ReferenceWeight {
  std::uint64_t rows = 0, columns = 0;
  std::uint64_t experts = 1;  // that many matrices, one after the other
  std::uint64_t elements() const { return rows * columns; }
};

/// The path of the owner of a parameter, and the name in it: "a.b" and "weight".
std::pair<std::string_view, std::string_view> split_name(std::string_view path);

class ReferenceWeights {
 public:
  explicit ReferenceWeights(std::span<const capture::CapturedParameter> parameters);

  bool empty() const { return by_columns_.empty(); }
  const ReferenceWeight& operator[](ParameterId parameter) const { return weights_[parameter]; }
  /// Those with so many elements, and those with so many columns, in order.
  std::span<const ParameterId> of_size(std::uint64_t elements) const { return find(by_size_, elements); }
  std::span<const ParameterId> of_width(std::uint64_t columns) const { return find(by_columns_, columns); }
  std::optional<ParameterId> named(std::string_view path) const;
  /// The parameter of this name that the same module owns.
  std::optional<ParameterId> beside(ParameterId parameter, std::string_view name) const;
  std::span<const double> samples(ParameterId parameter);

 private:
  using Index = std::unordered_map<std::uint64_t, std::vector<ParameterId>>;
  static std::span<const ParameterId> find(const Index& index, std::uint64_t key);

  std::span<const capture::CapturedParameter> parameters_;
  std::vector<ReferenceWeight> weights_;
  std::vector<std::vector<double>> samples_;  // empty until they are asked for
  Index by_size_, by_columns_;
  std::unordered_map<std::string_view, ParameterId> by_path_;
};

}  // namespace thence::reference
