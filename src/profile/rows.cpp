#include "profile/rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/format.h"
#include "base/text.h"

namespace thence::profile {
namespace {

constexpr std::array<std::string_view, 6> group_names = {"module", "class", "role",
                                                         "layer",  "op",    "provider"};

// The position of each module if parents come before their children, and the position after its last
// descendant.
struct Preorder {
  std::vector<std::uint32_t> begin, end;
  std::vector<ModuleId> modules;

  explicit Preorder(const modules::ModuleTree& tree) : begin(tree.size()), end(tree.size()) {
    std::vector<std::pair<ModuleId, bool>> stack = {{modules::root, false}};
    while (!stack.empty()) {
      const auto [module, is_left] = stack.back();
      stack.pop_back();
      if (is_left) {
        end[module] = static_cast<std::uint32_t>(modules.size());
        continue;
      }
      begin[module] = static_cast<std::uint32_t>(modules.size());
      modules.push_back(module);
      stack.push_back({module, true});
      const std::vector<ModuleId> children = tree.ordered_children(module);
      for (auto child = children.rbegin(); child != children.rend(); ++child)
        stack.push_back({*child, false});
    }
  }
};

// The same as percentile(), with a number of zeros besides the sorted numbers.
double percentile_with_zeros(const std::vector<double>& sorted, std::size_t zeros, double share) {
  const std::size_t count = sorted.size() + zeros;
  if (count == 0) return 0;
  const double at = share * static_cast<double>(count - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto value = [&](std::size_t i) {
    const std::size_t last = std::min(i, count - 1);
    return last < zeros ? 0.0 : sorted[last - zeros];
  };
  return value(below) + (at - static_cast<double>(below)) * (value(below + 1) - value(below));
}

}  // namespace

std::optional<GroupBy> group_by_named(std::string_view name) {
  const auto found = std::find(group_names.begin(), group_names.end(), name);
  if (found == group_names.end()) return std::nullopt;
  return static_cast<GroupBy>(found - group_names.begin());
}

std::string_view name_of(GroupBy by) { return group_names[static_cast<std::size_t>(by)]; }

double percentile(std::vector<double>& numbers, double share) {
  if (numbers.empty()) return 0;
  std::sort(numbers.begin(), numbers.end());
  const double at = share * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, numbers.size() - 1);
  return numbers[below] + (at - static_cast<double>(below)) * (numbers[above] - numbers[below]);
}

ProfileRows::ProfileRows(const JoinedProfile& profile, const RowOptions& options)
    : profile_(profile), options_(options), shares_(profile.shares) {
  if (options_.by == GroupBy::module)
    add_module_rows();
  else
    add_group_rows();
  if (options_.top > 0) keep_top();
  find_percentiles();
}

void ProfileRows::add_module_rows() {
  const modules::ModuleTree& tree = profile_.map->tree();
  const Preorder order(tree);
  const auto position = [&](const Share& share) {
    return share.module == no_module ? no_module : order.begin[share.module];
  };
  std::sort(shares_.begin(), shares_.end(), [&](const Share& a, const Share& b) {
    return position(a) != position(b) ? position(a) < position(b) : a.kernel < b.kernel;
  });
  const auto first_from = [&](std::uint32_t least) {
    return static_cast<std::uint32_t>(
        std::partition_point(shares_.begin(), shares_.end(),
                             [&](const Share& share) { return position(share) < least; }) -
        shares_.begin());
  };
  std::vector<std::uint32_t> depths(tree.size());
  for (const ModuleId module : order.modules) {
    if (module != modules::root) depths[module] = depths[tree[module].parent] + 1;
    if (depths[module] > options_.depth && options_.top == 0) continue;
    const std::uint32_t first = first_from(order.begin[module]), end = first_from(order.end[module]);
    if (first < end) add_module_row(first, end, first_from(order.begin[module] + 1), module, depths[module]);
  }
  const std::uint32_t first = first_from(no_module), end = static_cast<std::uint32_t>(shares_.size());
  add_module_row(first, end, end, no_module, 0);
}

void ProfileRows::add_module_row(std::uint32_t first, std::uint32_t end, std::uint32_t own_end,
                                 ModuleId module, std::size_t depth) {
  Row row{.key = module == no_module ? std::string() : std::string(profile_.map->tree()[module].path),
          .module = module,
          .depth = depth,
          .is_unexplained = module == no_module,
          .p50 = {},
          .p90 = {},
          .first_share = first,
          .share_count = end - first};
  // The modules that the depth hides have no rows of their own.
  const bool has_hidden = depth == options_.depth && options_.top == 0;
  sum_shares(row, has_hidden ? row.share_count : own_end - first);
  rows_.push_back(std::move(row));
}

std::string ProfileRows::group_of(const Share& share) const {
  const semantics::Map& map = *profile_.map;
  const Kernel& kernel = profile_.recording.kernels[share.kernel];
  const auto or_none = [](std::string_view text, const char* none) {
    return std::string(text.empty() ? std::string_view(none) : text);
  };
  switch (options_.by) {
    case GroupBy::op: return or_none(kernel.op_type, "(no operator)");
    case GroupBy::provider: return or_none(kernel.provider, "(no provider)");
    case GroupBy::class_name: return or_none(map.tree()[share.module].class_name, "(no class)");
    case GroupBy::role: return or_none(map.role(share.module).type, "(no role)");
    default: break;
  }
  const std::vector<modules::LayerStep> layers = map.layers(share.module);
  if (layers.empty()) return "(outside layers)";
  return base::format("{}.{}", layers.front().container, layers.front().index);
}

// Gives each share the number of its group; those without a module have none. A module is looked up once.
std::vector<std::pair<std::uint32_t, Share>> ProfileRows::find_groups(
    std::map<std::string, std::uint32_t>& groups) const {
  const bool needs_module = options_.by != GroupBy::op && options_.by != GroupBy::provider;
  std::vector<std::uint32_t> group_of_module(profile_.map->tree().size(), no_kernel);
  std::vector<std::pair<std::uint32_t, Share>> found;
  for (const Share& share : shares_) {
    std::uint32_t group = no_kernel;
    if (needs_module && share.module != no_module) group = group_of_module[share.module];
    if (group == no_kernel && (!needs_module || share.module != no_module))
      group = groups.try_emplace(group_of(share), static_cast<std::uint32_t>(groups.size())).first->second;
    if (needs_module && share.module != no_module) group_of_module[share.module] = group;
    found.emplace_back(group, share);
  }
  return found;
}

void ProfileRows::add_group_rows() {
  std::map<std::string, std::uint32_t> groups;
  std::vector<std::pair<std::uint32_t, Share>> sorted = find_groups(groups);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names(groups.size());
  for (const auto& [name, group] : groups) names[group] = name;
  for (std::uint32_t i = 0; i < sorted.size(); ++i) shares_[i] = sorted[i].second;
  for (std::uint32_t first = 0, end = 0; first < sorted.size(); first = end) {
    const std::uint32_t group = sorted[first].first;
    while (end < sorted.size() && sorted[end].first == group) ++end;
    Row row{.key = group == no_kernel ? std::string() : names[group],
            .is_unexplained = group == no_kernel,
            .p50 = {},
            .p90 = {},
            .first_share = first,
            .share_count = end - first};
    sum_shares(row, row.share_count);
    rows_.push_back(std::move(row));
  }
  sort_group_rows();
}

// Layers are in their natural order; other groups by time.
void ProfileRows::sort_group_rows() {
  std::stable_sort(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) {
    if (a.is_unexplained != b.is_unexplained) return b.is_unexplained;
    if (options_.by == GroupBy::layer || a.total_microseconds == b.total_microseconds)
      return base::is_before_naturally(a.key, b.key);
    return a.total_microseconds > b.total_microseconds;
  });
}

void ProfileRows::sum_shares(Row& row, std::uint32_t own_count) const {
  for (std::uint32_t i = 0; i < row.share_count; ++i) {
    const Share& share = shares_[row.first_share + i];
    const Kernel& kernel = profile_.recording.kernels[share.kernel];
    row.calls += kernel.calls;
    row.total_microseconds += share.fraction * kernel.microseconds;
    if (i < own_count) row.self_microseconds += share.fraction * kernel.microseconds;
  }
}

void ProfileRows::keep_top() {
  const auto unexplained =
      std::find_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.is_unexplained; });
  std::optional<Row> last;
  if (unexplained != rows_.end()) {
    last = *unexplained;
    rows_.erase(unexplained);
  }
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const Row& a, const Row& b) { return a.self_microseconds > b.self_microseconds; });
  if (rows_.size() > options_.top) rows_.resize(options_.top);
  for (Row& row : rows_) row.depth = 0;
  if (last) rows_.push_back(*std::move(last));
}

template <class Use>
void ProfileRows::for_each_sample(KernelId kernel, const Use& use) const {
  for (std::uint32_t at = profile_.first_sample[kernel]; at < profile_.first_sample[kernel + 1]; ++at)
    use(profile_.recording.samples[at]);
}

std::vector<double> ProfileRows::run_totals(const Row& row) const {
  std::vector<double> totals(profile_.recording.runs.size());
  for (std::uint32_t i = row.first_share; i < row.first_share + row.share_count; ++i)
    for_each_sample(shares_[i].kernel, [&](const Sample& sample) {
      totals[sample.run] += shares_[i].fraction * static_cast<double>(sample.microseconds);
    });
  return totals;
}

// Visits only the runs that a row has time in: a long profile may have many runs and many modules.
void ProfileRows::find_percentiles() {
  const Recording& recording = profile_.recording;
  if (recording.averaged_runs > 0) return;
  std::vector<double> totals(recording.runs.size(), -1);
  std::vector<std::uint32_t> touched;
  std::vector<double> sorted;
  for (Row& row : rows_) {
    for (std::uint32_t i = row.first_share; i < row.first_share + row.share_count; ++i)
      for_each_sample(shares_[i].kernel, [&](const Sample& sample) {
        if (totals[sample.run] < 0) {
          touched.push_back(sample.run);
          totals[sample.run] = 0;
        }
        totals[sample.run] += shares_[i].fraction * static_cast<double>(sample.microseconds);
      });
    for (const std::uint32_t run : touched) sorted.push_back(std::exchange(totals[run], -1));
    std::sort(sorted.begin(), sorted.end());
    row.p50 = percentile_with_zeros(sorted, totals.size() - sorted.size(), 0.5);
    row.p90 = percentile_with_zeros(sorted, totals.size() - sorted.size(), 0.9);
    touched.clear();
    sorted.clear();
  }
}

}  // namespace thence::profile
