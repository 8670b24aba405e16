// The rows of the module tree in display order, with the tally of each module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/writer.h"
#include "output/csv.h"
#include "output/tally.h"

namespace thence::output {

/// The key by which sibling modules are sorted and shares are computed.
enum class Measure { none, nodes, parameters, bytes, flops, confidence };

struct TreeOptions {
  std::size_t depth = 64;
  bool execution_order = false;
  Measure sort = Measure::none;
  shapes::NamedSizes sizes = {};  // values for sizes that the model only names
  bool colour = false;
  std::size_t width = 0;  // of the terminal; 0: unlimited
};

struct TreeRow {
  modules::ModuleId module = modules::root;
  std::size_t depth = 0;
};

struct Tree {
  shapes::InferredShapes inferred;
  Tallies tallies;
  std::vector<TreeRow> rows;  // from the root downwards

  const Tally& of(const TreeRow& row) const { return tallies.modules[row.module]; }
};
Tree make_tree(const semantics::Map& map, const TreeOptions& options);

/// The share of the whole model; 0 if the model has none.
double share(const Tally& part, const Tally& whole, Measure measure);

void write_tree_table(const semantics::Map& map, const Tree& tree, const TreeOptions& options,
                      base::Writer& out);
void write_tree_json(const semantics::Map& map, const Tree& tree, base::Writer& out);
void write_tree_jsonl(const semantics::Map& map, const Tree& tree, base::Writer& out);
void write_tree_csv(const semantics::Map& map, const Tree& tree, Formulas formulas, base::Writer& out);

}  // namespace thence::output
