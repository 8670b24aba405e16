#include "output/text_formats.h"

#include "output/formats.h"
#include "output/other_formats.h"

namespace thence::output {
namespace {

template <Formulas formulas>
void write_all_columns_csv(const semantics::Map& map, base::Writer& out) {
  write_map_csv(map, Nodes(map.model()), all_columns(), formulas, 1, out);
}

constexpr TextFormat formats[] = {
    {"graphml", write_graphml},
    {"model-explorer", write_model_explorer},
    {"dot", write_dot},
    {"csv", write_all_columns_csv<Formulas::escaped>},
    {"csv-raw", write_all_columns_csv<Formulas::kept>},
    {"sarif", write_sarif},
    {"torch-map", write_torch_map},
    {"htp-metadata", write_htp_metadata},
};

}  // namespace

std::span<const TextFormat> text_formats() { return formats; }

const TextFormat* find_text_format(std::string_view name) {
  for (const TextFormat& format : formats)
    if (format.name == name) return &format;
  return nullptr;
}

}  // namespace thence::output
