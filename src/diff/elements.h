// Elements: the numbers of a constant one by one, dequantised if it is quantised. They are read where they
// are stored; only what is stored in a protobuf list is copied.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dataflow/constant.h"
#include "diff/side.h"
#include "weights/quantisation.h"

namespace thence::diff {

/// How quantised numbers become real ones: (element - zero point) * scale.
struct Quantisation {
  std::vector<double> scales = {1};      // one, one per index of `axis`, or one per block
  std::vector<double> zero_points = {};  // as many as scales, or none
  std::int64_t axis = 0;
  std::uint64_t block = 0;  // elements of the axis that share a scale; 0: no blocks
};

/// The quantisation of a constant that an input of a node reads, directly or through a dequantisation.
/// `is_known` is false if the input is quantised, but its scale is computed or cannot be read.
struct InputQuantisation {
  bool is_quantised = false, is_known = false;
  Quantisation quantisation = {};
};
class InputQuantisations {
 public:
  explicit InputQuantisations(Side& side) : side_(side) {}
  InputQuantisation of(onnx::NodeId node, std::size_t input);

 private:
  std::optional<std::vector<double>> scales_of(const onnx::Node& node, const weights::QuantisedInput& input);
  std::optional<std::vector<double>> scales_after_product(const onnx::Node& node, std::uint32_t input);
  bool read_zero_points(const onnx::Node& node, std::uint32_t input, Quantisation& quantisation);
  InputQuantisation of_table(const onnx::Node& lookup);

  Side& side_;
  // By initializer: those with its scale and its zero point, for weights whose operator does not read them.
  struct Scaling {
    std::uint32_t scale = onnx::none, zero_point = onnx::none;
  };
  const Scaling* scaling_of(onnx::ValueId weight);
  std::optional<std::vector<double>> numbers_of(std::uint32_t initializer);
  std::optional<std::unordered_map<std::uint32_t, Scaling>> scaling_by_weight_;  // found on demand
};

class Elements {
 public:
  /// Nothing if the data cannot be read, or if the scales do not fit the shape.
  static std::optional<Elements> of(const Tensor& tensor, const Quantisation* quantisation = nullptr);

  std::uint64_t size() const { return size_; }
  double stored(std::uint64_t index) const { return constant_.element(index); }
  double operator[](std::uint64_t index) const {
    const double element = stored(index);
    if (scales_.empty()) return element;
    const std::uint64_t at = scale_index(index);
    return (element - (zero_points_.empty() ? 0 : zero_points_[at])) * scales_[at];
  }
  double scale(std::uint64_t index) const { return scales_.empty() ? 1 : scales_[scale_index(index)]; }
  double zero_point(std::uint64_t index) const {
    return zero_points_.empty() ? 0 : zero_points_[scale_index(index)];
  }

 private:
  bool set_quantisation(const Tensor& tensor, const Quantisation& quantisation);
  std::uint64_t scale_index(std::uint64_t index) const {
    if (scales_.size() == 1) return 0;
    const std::uint64_t along = index / inner_ % length_;
    if (block_ == 0) return along;
    const std::uint64_t blocks = (length_ + block_ - 1) / block_;
    return (index / inner_ / length_ * blocks + along / block_) * inner_ + index % inner_;
  }

  dataflow::Constant constant_;  // without a fingerprint
  std::shared_ptr<const std::string> copy_;
  std::uint64_t size_ = 0;
  std::vector<double> scales_, zero_points_;
  std::uint64_t inner_ = 1, length_ = 1, block_ = 0;  // elements per index of the axis; its length
};

/// Whether quantised numbers are those that the given ones round to.
bool are_rounded(const Elements& numbers, const Elements& quantised);

}  // namespace thence::diff
