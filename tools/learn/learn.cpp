// Learns which ONNX operators each operation of PyTorch becomes, from exports whose truth is known, and
// writes schema/operators.json.
//
//   thence_learn OUT.json [EXPORTER CAPTURE MODEL TRUTH]...
//
// Expectation maximisation: align with what is believed so far, only pairs that the truth allows; count;
// again.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "capture/capture.h"
#include "match/align.h"
#include "match/items.h"
#include "onnx/model.h"

namespace {

using namespace thence;

constexpr int em_rounds = 12;
constexpr double min_probability = 0.002;  // chances below it are left out of the file

struct TrainingExample {
  std::string exporter;
  onnx::Model model;
  capture::Capture capture;
  std::vector<match::NodeItem> items;
  std::vector<std::vector<modules::ModuleId>> owners;  // by item; empty: no truth
};

std::vector<std::vector<modules::ModuleId>> read_owners(const std::string& path,
                                                        const TrainingExample& example) {
  const Result<base::MappedFile> file = base::MappedFile::open(path);
  if (!file) throw std::runtime_error(file.error().text);
  const base::JsonDocument truth(file->bytes());
  std::vector<std::vector<modules::ModuleId>> by_node(example.model.node_count());
  std::map<std::string, onnx::GraphId> graphs;
  for (onnx::GraphId id = 0; id < example.model.graphs().size(); ++id)
    graphs[example.model.graph_label(id)] = id;
  for (const base::JsonValue row : truth.root()["nodes"].items()) {
    const std::optional<std::string_view> module = row["module"].text();
    if (!module) continue;
    const auto graph = graphs.find(std::string(row["graph"].text_or({})));
    if (graph == graphs.end()) continue;
    const auto node = example.model.graphs()[graph->second].first_node +
                      static_cast<onnx::NodeId>(row["index"].natural().value_or(0));
    by_node[node].push_back(example.capture.tree.find(*module));
    for (const base::JsonValue other : row["accept"].items())
      if (const auto accepted = other.text()) by_node[node].push_back(example.capture.tree.find(*accepted));
  }
  std::vector<std::vector<modules::ModuleId>> owners;
  for (const match::NodeItem& item : example.items) owners.push_back(by_node[item.node]);
  return owners;
}

match::EmissionTable estimate_table(const std::string& exporter, const match::EmissionCounts& counts) {
  std::unordered_map<std::string, match::OpEmission> next;
  for (const auto& [operation, sum] : counts.sums) {
    match::OpEmission& emission = next[operation];
    // As if each had once left a node and once not, and once stopped after one.
    emission.skip_probability =
        static_cast<float>(1 - (std::min(sum.emitting_steps, sum.steps) + 0.5) / (sum.steps + 1));
    emission.repeat_probability =
        static_cast<float>(1 - (sum.emitting_steps + 0.5) / (std::max(sum.nodes, sum.emitting_steps) + 1));
    double all = 0;
    for (const auto& [op, count] : sum.operators) all += count;
    for (const auto& [op, count] : sum.operators)
      if (count / all >= min_probability) emission.operators[op] = static_cast<float>(count / all);
  }
  return {exporter, std::move(next)};
}

// Before anything is known every operation may become any operator.
match::EmissionTable uniform_table(const std::string& exporter,
                                   const std::vector<TrainingExample>& examples) {
  std::unordered_map<std::string, float> frequencies;
  double all = 0;
  for (const TrainingExample& example : examples)
    if (example.exporter == exporter)
      for (const match::NodeItem& item : example.items) {
        frequencies[std::string(example.model.node(item.node).op_type())] += 1;
        all += 1;
      }
  for (auto& [op, count] : frequencies) count /= static_cast<float>(all);
  std::unordered_map<std::string, match::OpEmission> emissions;
  for (const TrainingExample& example : examples)
    if (example.exporter == exporter)
      for (const std::string& word : example.capture.trace->op_names)
        emissions[word] = {0.5f, 0.3f, frequencies};
  return {exporter, std::move(emissions)};
}

std::string as_json(const std::vector<match::EmissionTable>& learned) {
  std::string text = "{\n  \"schema\": \"thence.operators/1\",\n  \"exporters\": {";
  for (std::size_t i = 0; i < learned.size(); ++i) {
    text += base::format("{}\n    \"{}\": {{", i == 0 ? "" : ",", learned[i].exporter());
    std::map<std::string, match::OpEmission> sorted(learned[i].emissions().begin(),
                                                    learned[i].emissions().end());
    bool first = true;
    for (const auto& [operation, emission] : sorted) {
      text +=
          base::format("{}\n      \"{}\": {{\"skips\": {:.3f}, \"stays\": {:.3f}, \"becomes\": {{",
                       first ? "" : ",", operation, emission.skip_probability, emission.repeat_probability);
      first = false;
      std::map<std::string, float> ops(emission.operators.begin(), emission.operators.end());
      bool first_op = true;
      for (const auto& [op, probability] : ops) {
        text += base::format("{}\"{}\": {:.3f}", first_op ? "" : ", ", op, probability);
        first_op = false;
      }
      text += "}}";
    }
    text += "\n    }";
  }
  return text + "\n  }\n}\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6 || (argc - 2) % 4 != 0) {
    std::fputs("usage: thence_learn OUT.json [EXPORTER CAPTURE MODEL TRUTH]...\n", stderr);
    return 2;
  }
  std::vector<TrainingExample> examples;
  std::vector<std::string> exporters;
  for (int i = 2; i < argc; i += 4) {
    Diagnostics diagnostics;
    Result<capture::Capture> capture = capture::open_capture(argv[i + 1], diagnostics);
    Result<onnx::Model> model = onnx::Model::open(argv[i + 2], diagnostics);
    if (!capture || !model || !capture->trace) {
      std::fprintf(stderr, "left out: %s\n", argv[i + 2]);
      continue;
    }
    TrainingExample example{argv[i], *std::move(model), *std::move(capture), {}, {}};
    example.items = match::items_of(
        example.model, match::parameters_by_content(example.model, example.capture, *example.capture.trace),
        [](std::string_view) { return true; });
    example.owners = read_owners(argv[i + 3], example);
    examples.push_back(std::move(example));
    if (std::find(exporters.begin(), exporters.end(), argv[i]) == exporters.end())
      exporters.emplace_back(argv[i]);
  }
  std::vector<match::EmissionTable> learned;
  for (const std::string& exporter : exporters) {
    match::EmissionTable table = uniform_table(exporter, examples);
    for (int round = 0; round < em_rounds; ++round) {
      match::EmissionCounts counts;
      double likelihood = 0;
      for (const TrainingExample& example : examples) {
        if (example.exporter != exporter) continue;
        match::AlignOptions options;
        options.counts = &counts;
        options.use_flow = round > em_rounds / 2;
        options.is_pair_allowed = [&](std::uint32_t step, std::uint32_t item) {
          const auto& owners = example.owners[item];
          return owners.empty() || std::find(owners.begin(), owners.end(),
                                             example.capture.trace->steps[step].module) != owners.end();
        };
        likelihood +=
            match::align(*example.capture.trace, example.model, example.items, table, options).log_likelihood;
      }
      table = estimate_table(exporter, counts);
      std::fprintf(stderr, "%s, round %d: log likelihood %.0f\n", exporter.c_str(), round + 1, likelihood);
    }
    learned.push_back(std::move(table));
  }
  std::ofstream(argv[1]) << as_json(learned);
  return 0;
}
