// How tools cut and order the rows of a parameter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/thresholds.h"

namespace thence::reference {

/// How a file orders the rows of a head whose halves the reference keeps in the other order.
enum class HalfOrder : std::uint8_t { interleaved, separate };

/// The place of a row in a head of the file.
inline std::uint64_t place_in_head(std::uint64_t row, std::uint64_t head, HalfOrder order) {
  const std::uint64_t half = head / 2;
  return order == HalfOrder::interleaved ? row % half * 2 + row / half : row % 2 * half + row / 2;
}

/// Which rows of a parameter a weight with fewer rows holds: equal runs of rows at equal distances. One run
/// is a part of joined projections; several are those of one projection if each head has its own.
class Cut {
 public:
  struct Kind {
    std::uint64_t runs = 1;
    std::size_t place = 0;  // at which run of a period it begins: from the start, or counted from the end
  };
  static constexpr std::size_t places_of_heads = 4;

  static std::vector<Kind> kinds(std::uint64_t rows) {
    std::vector<Kind> kinds;
    for (std::size_t place = 0; place < max_places; ++place) kinds.push_back({1, place});
    for (std::uint64_t runs = 2; runs <= std::min(rows, max_runs); ++runs)
      for (std::size_t place = 0; rows % runs == 0 && place < places_of_heads; ++place)
        kinds.push_back({runs, place});
    return kinds;
  }

  Cut(const Kind& kind, std::uint64_t rows, std::uint64_t their_rows)
      : run_(rows / kind.runs), period_(their_rows % kind.runs == 0 ? their_rows / kind.runs : 0) {
    const bool from_end = kind.place == 1 || (kind.runs > 1 && kind.place == 2);
    const std::uint64_t back = kind.place * run_, ahead = (kind.runs > 1 ? 1 : kind.place - 1) * run_;
    first_ = kind.place == 0 ? 0 : from_end ? period_ - std::min(back, period_) : ahead;
  }

  bool fits() const { return period_ > run_ && first_ + run_ <= period_; }
  /// The row of the weight that holds one of the parameter.
  std::optional<std::uint64_t> row_of(std::uint64_t their_row) const {
    const std::uint64_t at = their_row % period_;
    if (at < first_ || at - first_ >= run_) return std::nullopt;
    return their_row / period_ * run_ + at - first_;
  }

 private:
  std::uint64_t run_, period_, first_ = 0;
};

}  // namespace thence::reference
