#include "output/weights_formats.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "output/fitted_table.h"
#include "output/limits.h"

namespace thence::output {
namespace {

using base::JsonWriter;
using modules::no_module;
using semantics::Map;
using weights::Transform;
using weights::Weight;

constexpr std::size_t transform_count = static_cast<std::size_t>(Transform::zero_point_of) + 1;

struct WeightRow {
  std::string graph;
  std::string_view name;
  onnx::TensorView tensor;
  const Weight* weight;
  bool is_missing = false;
};

// Calls `use` with the row of each initializer.
template <class Use>
void each_weight_row(const Map& map, const WeightsAnswer& answer, Use use) {
  const onnx::Model& model = map.model();
  auto missing = answer.missing_data.begin();
  for (std::size_t i = 0; i < answer.weights.size(); ++i) {
    const onnx::Initializer& initializer = model.initializers()[i];
    WeightRow row{
        .graph = model.graph_label(initializer.graph),
        .name = initializer.value == onnx::none ? std::string_view() : model.value_name(initializer.value),
        .tensor = model.tensor(initializer),
        .weight = &answer.weights[i]};
    row.is_missing = missing != answer.missing_data.end() && *missing == i;
    if (row.is_missing) ++missing;
    use(row);
  }
}

std::string_view module_path(const Map& map, const Weight& weight) {
  return weight.module == no_module ? std::string_view() : map.tree()[weight.module].path;
}

std::string shape_text(const onnx::TensorView& tensor) {
  return base::format("[{}]", base::joined(tensor.dims, ","));
}

void write_row(const Map& map, const WeightRow& row, JsonWriter& json) {
  json.begin_object();
  json.member<"graph">(row.graph);
  json.member<"name">(row.name);
  json.member<"data_type">(onnx::data_type_name(row.tensor.data_type));
  json.begin_array<"shape">();
  for (const std::int64_t dim : row.tensor.dims) json.value(dim);
  json.end_array();
  json.begin_array<"parameters">();
  for (const std::string& each : row.weight->parameters) json.value(each);
  json.end_array();
  json.member_or_null<"transform">(name_of(row.weight->transform));
  json.key<"module">();
  row.weight->module == no_module ? json.null() : json.value(module_path(map, *row.weight));
  json.member_or_null<"source">(name_of(row.weight->source));
  json.member<"has_data">(!row.is_missing);
  json.end_object();
}

std::array<std::size_t, transform_count> count_transforms(const WeightsAnswer& answer) {
  std::array<std::size_t, transform_count> counts{};
  for (const Weight& weight : answer.weights) ++counts[static_cast<std::size_t>(weight.transform)];
  return counts;
}

std::size_t count_holding(const WeightsAnswer& answer) {
  return static_cast<std::size_t>(std::count_if(answer.weights.begin(), answer.weights.end(),
                                                [](const Weight& each) { return each.holds_parameters(); }));
}

}  // namespace

void write_weights_table(const Map& map, const WeightsAnswer& answer, std::size_t width, bool colour,
                         base::Writer& out) {
  FittedTable table;
  table.columns = {
      {.title = "initializer", .min_width = 16}, {.title = "type", .drop_priority = 3},
      {.title = "shape", .drop_priority = 2},    {.title = "transform"},
      {.title = "parameters", .min_width = 24},  {.title = "module", .drop_priority = 4, .min_width = 12},
      {.title = "source", .drop_priority = 5},   {.title = "data", .drop_priority = 1},
  };
  each_weight_row(map, answer, [&](const WeightRow& row) {
    const std::string name =
        row.graph.empty() ? std::string(row.name) : base::format("{} {}", row.graph, row.name);
    std::string cells[] = {truncate(base::printable(name), max_name_width),
                           onnx::data_type_name(row.tensor.data_type),
                           shape_text(row.tensor),
                           std::string(name_of(row.weight->transform)),
                           base::printable(base::joined(row.weight->parameters, ", ")),
                           base::printable(module_path(map, *row.weight)),
                           std::string(name_of(row.weight->source)),
                           row.is_missing ? "missing" : ""};
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      table.columns[i].cells.push_back(std::move(cells[i]));
    table.dim_rows.push_back(!row.weight->is_known());
  });
  write_fitted_table(std::move(table), width, colour, out);
  out.flush();
}

void write_weights_json(const Map& map, const WeightsAnswer& answer, base::Writer& out) {
  JsonWriter json(out.buffer());
  json.begin_object();
  json.member<"schema">("thence.weights/1");
  json.member<"model">(map.model().file());
  json.new_line();
  json.begin_array<"initializers">();
  each_weight_row(map, answer, [&](const WeightRow& row) {
    json.new_line();
    write_row(map, row, json);
    out.flush_if_full();
  });
  json.end_array();
  json.new_line();
  json.begin_object<"summary">();
  json.member<"initializers">(answer.weights.size());
  json.member<"with_parameters">(count_holding(answer));
  json.member<"missing_data">(answer.missing_data.size());
  json.begin_object<"by_transform">();
  const auto counts = count_transforms(answer);
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    json.key(name_of(static_cast<Transform>(i)));
    json.value(counts[i]);
  }
  json.end_object();
  json.end_object();
  json.end_object();
  out.add("\n");
  out.flush();
}

void write_weights_jsonl(const Map& map, const WeightsAnswer& answer, base::Writer& out) {
  each_weight_row(map, answer, [&](const WeightRow& row) {
    JsonWriter json(out.buffer());
    write_row(map, row, json);
    out.add("\n");
    out.flush_if_full();
  });
  out.flush();
}

void write_weights_csv(const Map& map, const WeightsAnswer& answer, Formulas formulas, base::Writer& out) {
  out.add("graph,name,data_type,shape,parameters,transform,module,source,has_data\n");
  each_weight_row(map, answer, [&](const WeightRow& row) {
    std::string line;
    for (const std::string& field :
         {row.graph, std::string(row.name), onnx::data_type_name(row.tensor.data_type),
          shape_text(row.tensor), base::joined(row.weight->parameters, ";"),
          std::string(name_of(row.weight->transform)), std::string(module_path(map, *row.weight)),
          std::string(name_of(row.weight->source)), std::string(row.is_missing ? "false" : "true")}) {
      append_csv_field(line, field, formulas);
      line.push_back(',');
    }
    line.back() = '\n';
    out.add(line);
    out.flush_if_full();
  });
  out.flush();
}

std::string weights_summary(const WeightsAnswer& answer) {
  const auto counts = count_transforms(answer);
  std::string parts;
  for (std::size_t i = 1; i < counts.size(); ++i)
    if (counts[i] > 0)
      parts +=
          base::format("{}{} {}", parts.empty() ? "" : ", ", counts[i], name_of(static_cast<Transform>(i)));
  return base::format("{} initializers, {} with parameters{}{}{}", answer.weights.size(),
                      count_holding(answer), parts.empty() ? "" : " (", parts, parts.empty() ? "" : ")");
}

}  // namespace thence::output
