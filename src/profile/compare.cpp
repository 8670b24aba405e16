#include "profile/compare.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <unordered_map>

#include "profile/thresholds.h"

namespace thence::profile {
namespace {

double median(std::vector<double> numbers) { return percentile(numbers, 0.5); }

// Means of consecutive runs, if there are many: it bounds the time, and neighbouring runs are not
// independent.
std::vector<double> to_blocks(const std::vector<double>& runs) {
  if (runs.size() <= max_bootstrap_blocks) return runs;
  std::vector<double> blocks(max_bootstrap_blocks);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t begin = i * runs.size() / blocks.size(), end = (i + 1) * runs.size() / blocks.size();
    for (std::size_t at = begin; at < end; ++at) blocks[i] += runs[at] / static_cast<double>(end - begin);
  }
  return blocks;
}

// A random sample of the same size, with replacement. Not std::uniform_int_distribution, whose numbers depend
// on the library.
double resampled_median(const std::vector<double>& numbers, std::mt19937_64& random,
                        std::vector<double>& scratch) {
  scratch.clear();
  for (std::size_t i = 0; i < numbers.size(); ++i) scratch.push_back(numbers[random() % numbers.size()]);
  return percentile(scratch, 0.5);
}

Verdict judge(const Change& change, std::size_t runs) {
  if (runs < min_compared_runs) return Verdict::too_few_runs;
  if (change.low > 0) return Verdict::slower;
  if (change.high < 0) return Verdict::faster;
  return Verdict::no_significant_change;
}

void fill(Change& change, const std::vector<double>& before, const std::vector<double>& after) {
  change.before = median(before);
  change.after = median(after);
  change.difference = change.after - change.before;
  const std::size_t runs = std::min(before.size(), after.size());
  if (runs >= min_compared_runs) {
    const Interval interval = bootstrap_difference(before, after);
    change.low = interval.low;
    change.high = interval.high;
  }
  change.verdict = judge(change, runs);
}

std::vector<double> totals_of_runs(const ProfileRows& rows) {
  Row all;
  all.share_count = static_cast<std::uint32_t>(rows.shares().size());
  return rows.run_totals(all);
}

std::string key_of(const Row& row) { return (row.is_unexplained ? "u" : "k") + row.key; }

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::no_significant_change: return "no significant change";
    case Verdict::faster: return "faster";
    case Verdict::slower: return "slower";
    case Verdict::only_before: return "only before";
    case Verdict::only_after: return "only after";
    case Verdict::too_few_runs: return "too few runs";
  }
  return "";
}

Interval bootstrap_difference(const std::vector<double>& before, const std::vector<double>& after) {
  const std::vector<double> first = to_blocks(before), second = to_blocks(after);
  std::mt19937_64 random(bootstrap_seed);
  std::vector<double> differences, scratch;
  for (std::size_t i = 0; i < bootstrap_resamples; ++i) {
    const double old_time = resampled_median(first, random, scratch);
    differences.push_back(resampled_median(second, random, scratch) - old_time);
  }
  const double outside = (1 - bootstrap_confidence) / 2;
  return {percentile(differences, outside), percentile(differences, 1 - outside)};
}

Comparison compare(const ProfileRows& before, const ProfileRows& after) {
  Comparison found{.changes = {},
                   .runs_before = before.profile().recording.runs.size(),
                   .runs_after = after.profile().recording.runs.size()};
  Change total;
  total.is_total = true;
  fill(total, totals_of_runs(before), totals_of_runs(after));
  std::unordered_map<std::string, const Row*> others;
  for (const Row& row : after.rows()) others.emplace(key_of(row), &row);
  const auto add = [&](const Row& row, const Row* old_row, const Row* new_row) {
    if (row.share_count == 0) return;
    Change change{
        .key = row.key, .module = row.module, .depth = row.depth, .is_unexplained = row.is_unexplained};
    fill(change, old_row == nullptr ? std::vector<double>(found.runs_before) : before.run_totals(*old_row),
         new_row == nullptr ? std::vector<double>(found.runs_after) : after.run_totals(*new_row));
    if (old_row == nullptr) change.verdict = Verdict::only_after;
    if (new_row == nullptr) change.verdict = Verdict::only_before;
    found.changes.push_back(std::move(change));
  };
  for (const Row& row : before.rows()) {
    const auto other = others.find(key_of(row));
    const bool has_other = other != others.end() && other->second->share_count > 0;
    add(row, row.share_count == 0 ? nullptr : &row, has_other ? other->second : nullptr);
    if (row.share_count > 0 && other != others.end()) others.erase(other);
  }
  for (const Row& row : after.rows())
    if (others.contains(key_of(row))) add(row, nullptr, &row);
  std::stable_sort(found.changes.begin(), found.changes.end(), [](const Change& a, const Change& b) {
    return std::fabs(a.difference) > std::fabs(b.difference);
  });
  found.changes.insert(found.changes.begin(), total);
  return found;
}

}  // namespace thence::profile
