// The initializers of a model with their parameters, in each format.
#pragma once

#include <string>
#include <vector>

#include "base/writer.h"
#include "output/csv.h"
#include "semantics/map.h"
#include "weights/weight.h"

namespace thence::output {

/// What is printed: by initializer of the map's model.
struct WeightsAnswer {
  std::vector<weights::Weight> weights;
  std::vector<std::size_t> missing_data;  // initializers whose data cannot be read, in order
};

void write_weights_table(const semantics::Map& map, const WeightsAnswer& answer, std::size_t width,
                         bool colour, base::Writer& out);
/// schema/weights.schema.json: json is one document, jsonl is one line per initializer.
void write_weights_json(const semantics::Map& map, const WeightsAnswer& answer, base::Writer& out);
void write_weights_jsonl(const semantics::Map& map, const WeightsAnswer& answer, base::Writer& out);
void write_weights_csv(const semantics::Map& map, const WeightsAnswer& answer, Formulas formulas,
                       base::Writer& out);

/// One line: how many initializers hold parameters, by transform.
std::string weights_summary(const WeightsAnswer& answer);

}  // namespace thence::output
