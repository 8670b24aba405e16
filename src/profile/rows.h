// Rows: the time of a profile by module, or by a property of modules or kernels.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/join.h"

namespace thence::profile {

enum class GroupBy : std::uint8_t { module, class_name, role, layer, op, provider };
std::optional<GroupBy> group_by_named(std::string_view name);
std::string_view name_of(GroupBy by);

struct RowOptions {
  GroupBy by = GroupBy::module;
  std::size_t depth = 64;  // of modules; deeper ones count for the last that is shown
  std::size_t top = 0;     // only the rows with the most exclusive time, without their nesting; 0: all
};

struct Row {
  std::string key;              // a path, or the name of a group
  ModuleId module = no_module;  // if rows are modules
  std::size_t depth = 0;
  bool is_unexplained = false;
  std::uint64_t calls = 0;         // of kernels, with those in modules inside
  double self_microseconds = 0;    // without modules inside
  double total_microseconds = 0;   // over all runs
  std::optional<double> p50, p90;  // of the total in one run; empty if the profile has no single runs
  std::uint32_t first_share = 0, share_count = 0;  // in ProfileRows::shares()
};

class ProfileRows {
 public:
  ProfileRows(const JoinedProfile& profile, const RowOptions& options);

  const JoinedProfile& profile() const { return profile_; }
  GroupBy by() const { return options_.by; }
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<Share>& shares() const { return shares_; }
  /// The time of a row in each run.
  std::vector<double> run_totals(const Row& row) const;

 private:
  void add_module_rows();
  void add_module_row(std::uint32_t first, std::uint32_t end, std::uint32_t own_end, ModuleId module,
                      std::size_t depth);
  void add_group_rows();
  std::vector<std::pair<std::uint32_t, Share>> find_groups(
      std::map<std::string, std::uint32_t>& groups) const;
  void sort_group_rows();
  std::string group_of(const Share& share) const;
  void sum_shares(Row& row, std::uint32_t own_count) const;
  void find_percentiles();
  template <class Use>
  void for_each_sample(KernelId kernel, const Use& use) const;
  void keep_top();

  const JoinedProfile& profile_;
  RowOptions options_;
  std::vector<Share> shares_;  // sorted so that those of a row are consecutive
  std::vector<Row> rows_;
};

/// The value below which this share of the numbers lies, interpolated between neighbours. Sorts the numbers.
double percentile(std::vector<double>& numbers, double share);

}  // namespace thence::profile
