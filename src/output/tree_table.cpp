// The module tree for users: a table that fits the terminal, with bars.

#include <array>
#include <cmath>
#include <iterator>

#include "base/format.h"
#include "base/text.h"
#include "output/account.h"
#include "output/fitted_table.h"
#include "output/limits.h"
#include "output/tree_rows.h"

namespace thence::output {
namespace {

// 1,234 or 12.3M: at most four significant digits, so that columns stay narrow.
std::string short_number(double value) {
  static constexpr const char* units[] = {"", "k", "M", "G", "T", "P", "E"};
  if (std::fabs(value) < 10'000) return base::format("{:.0f}", value);
  std::size_t unit = 0;
  while (std::fabs(value) >= 999.5 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  return base::format("{:.3g}{}", value, units[unit]);
}
std::string short_number(std::uint64_t value) { return short_number(static_cast<double>(value)); }

// The largest terms of an expression, with short numbers: "1.2M*batch*seq".
std::string short_text(const shapes::Polynomial& polynomial, const shapes::Sizes& sizes) {
  if (polynomial.is_number()) return short_number(static_cast<double>(polynomial.number()));
  std::vector<shapes::Term> terms = polynomial.terms();
  if (polynomial.number() != 0) terms.push_back({polynomial.number(), {}});
  std::stable_sort(terms.begin(), terms.end(), [](const shapes::Term& a, const shapes::Term& b) {
    return std::fabs(static_cast<double>(a.factor)) > std::fabs(static_cast<double>(b.factor));
  });
  std::string text;
  for (std::size_t i = 0; i < terms.size() && i < max_shown_terms; ++i) {
    const auto factor = static_cast<double>(terms[i].factor);
    if (i > 0) text += factor < 0 ? " - " : " + ";
    text += short_number(i > 0 ? std::fabs(factor) : factor);
    if (!terms[i].symbols.empty()) text += "*" + sizes.text_of_symbols(terms[i].symbols);
  }
  return terms.size() > max_shown_terms ? text + " + …" : text;
}

std::string flops_text(const Tally& tally, const shapes::Sizes& sizes) {
  shapes::Polynomial flops;
  const bool known = flops.add(tally.macs, 2) && !(tally.uncounted > 0 && tally.macs == shapes::Polynomial());
  if (!known) return "-";
  return short_text(flops, sizes) + (tally.uncounted > 0 ? " + ?" : "");
}

std::string bar(double share) {
  static constexpr std::array<const char*, 8> eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  constexpr int length = 8;
  const int filled = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * length * 8));
  std::string text;
  for (int i = 0; i < filled / 8; ++i) text += "█";
  return text + eighths[static_cast<std::size_t>(filled % 8)];
}

std::string share_text(double share) { return base::format("{:.1f}%", 100 * share); }

std::string label(const semantics::Map& map, const TreeRow& row) {
  const modules::Module& module = map.tree()[row.module];
  const std::string name = row.module == modules::root ? "(root)" : base::printable(module.name());
  return std::string(row.depth * 2, ' ') + name;
}

std::string role_of(const semantics::Map& map, modules::ModuleId module) {
  const semantics::Role role = map.role(module);
  std::string text(role.type);
  if (!role.component.empty()) text += (text.empty() ? "" : " ") + std::string(role.component);
  return text;
}

std::string_view short_name(Measure measure) {
  switch (measure) {
    case Measure::nodes: return "nodes";
    case Measure::bytes: return "bytes";
    case Measure::flops: return "flops";
    default: return "params";
  }
}

}  // namespace

void write_tree_table(const semantics::Map& map, const Tree& tree, const TreeOptions& options,
                      base::Writer& out) {
  const Measure measure = options.sort == Measure::none || options.sort == Measure::confidence
                              ? Measure::parameters
                              : options.sort;
  FittedTable table;
  table.columns = {
      {.title = "module", .min_width = 16},
      {.title = "class", .drop_priority = 4, .min_width = 12},
      {.title = "nodes", .right = true},
      {.title = "own", .right = true, .drop_priority = 7},
      {.title = "parameters", .right = true},
      {.title = "bytes", .right = true, .drop_priority = 3},
      {.title = "dtypes", .drop_priority = 8, .min_width = 8},
      {.title = "flops", .right = true, .drop_priority = 1, .min_width = 12},
      {.title = base::format("% of {}", short_name(measure)), .right = true, .drop_priority = 2},
      {.title = "", .drop_priority = 6, .colour = "\x1b[36m"},
      {.title = "confidence", .right = true, .drop_priority = 9},
      {.title = "role", .drop_priority = 5, .min_width = 8},
  };
  const Tallies& tallies = tree.tallies;
  const auto add = [&](const std::string& name, const std::string& class_name, const Tally& tally,
                       std::string role) {
    const double part = share(tally, tallies.total, measure);
    std::string cells[] = {truncate(name, max_name_width),
                           truncate(class_name, max_name_width),
                           std::to_string(tally.nodes),
                           std::to_string(tally.own_nodes),
                           short_number(tally.parameters),
                           short_number(tally.bytes),
                           type_names(tally.types),
                           flops_text(tally, tree.inferred.sizes),
                           share_text(part),
                           bar(part),
                           tally.nodes == 0 ? "" : base::format("{:.2f}", tally.mean_confidence()),
                           std::move(role)};
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      table.columns[i].cells.push_back(std::move(cells[i]));
    table.dim_rows.push_back(tally.nodes == 0);
  };
  for (const TreeRow& row : tree.rows)
    add(label(map, row), base::printable(modules::short_class(map.tree()[row.module].class_name)),
        tree.of(row), role_of(map, row.module));
  if (tallies.unknown.nodes > 0 || tallies.unknown.parameters > 0) {
    add("(unknown)", "", tallies.unknown, "");
    add("(total)", "", tallies.total, "");
  }
  write_fitted_table(std::move(table), options.width, options.colour, out);
  out.add(account_text(tallies.account));
  out.add(uncounted_text(tallies.uncounted));
  out.flush();
}

}  // namespace thence::output
