// Learns which ONNX operators each operation of PyTorch becomes, from exports whose truth is known, and
// writes schema/operators.json.
//
//   thence_learn OUT.json [EXPORTER CAPTURE MODEL TRUTH]...
//
// Expectation maximisation: align with what is believed so far, only pairs that the truth allows; count;
// again.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
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
// A model counts for at most so many uses of an operation: otherwise one deep model with an unusual export of
// an operation would outweigh all other models.
constexpr double max_uses_by_model = 4;

struct Example {
  std::string exporter;
  onnx::Model model;
  capture::Capture capture;
  std::vector<std::vector<modules::ModuleId>> owners;  // by node; empty: no truth
};

// One recording of an example, and the nodes to align it with.
struct Lesson {
  const Example* example;
  const capture::Recording* recording;
  std::vector<match::NodeItem> items;
};

std::vector<std::vector<modules::ModuleId>> read_owners(const std::string& path, const onnx::Model& model,
                                                        const capture::Capture& capture) {
  const Result<base::MappedFile> file = base::MappedFile::open(path);
  if (!file) throw std::runtime_error(file.error().text);
  const base::JsonDocument truth(file->bytes());
  std::vector<std::vector<modules::ModuleId>> owners(model.node_count());
  std::map<std::string, onnx::GraphId> graphs;
  for (onnx::GraphId id = 0; id < model.graphs().size(); ++id) graphs[model.graph_label(id)] = id;
  for (const base::JsonValue row : truth.root()["nodes"].items()) {
    const std::optional<std::string_view> module = row["module"].text();
    if (!module) continue;
    const auto graph = graphs.find(std::string(row["graph"].text_or({})));
    if (graph == graphs.end()) continue;
    const auto node = model.graphs()[graph->second].first_node +
                      static_cast<onnx::NodeId>(row["index"].natural().value_or(0));
    owners[node].push_back(capture.tree.find(*module));
    for (const base::JsonValue other : row["accept"].items())
      if (const auto accepted = other.text()) owners[node].push_back(capture.tree.find(*accepted));
  }
  return owners;
}

std::optional<Example> read_example(char** given) {
  Diagnostics diagnostics;
  Result<capture::Capture> capture = capture::open_capture(given[1], diagnostics);
  Result<onnx::Model> model = onnx::Model::open(given[2], diagnostics);
  if (!capture || !model || !capture->trace) {
    std::fprintf(stderr, "left out: %s\n", given[2]);
    return std::nullopt;
  }
  auto owners = read_owners(given[3], *model, *capture);
  return Example{given[0], *std::move(model), *std::move(capture), std::move(owners)};
}

std::vector<Lesson> lessons_of(const std::deque<Example>& examples, const std::string& exporter,
                               std::optional<capture::Recording> capture::Capture::*section) {
  std::vector<Lesson> lessons;
  for (const Example& example : examples) {
    const std::optional<capture::Recording>& recording = example.capture.*section;
    if (example.exporter != exporter || !recording) continue;
    lessons.push_back(
        {&example, &*recording,
         match::items_of(example.model,
                         match::parameters_by_content(example.model, example.capture, *recording),
                         [](std::string_view) { return true; })});
  }
  return lessons;
}

void add_limited(match::EmissionCounts& sum, const match::EmissionCounts& of_model) {
  for (const auto& [operation, counted] : of_model.sums) {
    const double weight = counted.steps > max_uses_by_model ? max_uses_by_model / counted.steps : 1;
    match::EmissionCounts::Sum& total = sum.sums[operation];
    total.steps += weight * counted.steps;
    total.emitting_steps += weight * counted.emitting_steps;
    total.nodes += weight * counted.nodes;
    for (const auto& [op, count] : counted.operators) total.operators[op] += weight * count;
  }
}

match::OpEmission estimate(const match::EmissionCounts::Sum& sum) {
  match::OpEmission emission;
  // As if each had once left a node and once not, and once stopped after one.
  emission.skip_probability =
      static_cast<float>(1 - (std::min(sum.emitting_steps, sum.steps) + 0.5) / (sum.steps + 1));
  emission.repeat_probability =
      static_cast<float>(1 - (sum.emitting_steps + 0.5) / (std::max(sum.nodes, sum.emitting_steps) + 1));
  double all = 0;
  for (const auto& [op, count] : sum.operators) all += count;
  for (const auto& [op, count] : sum.operators)
    if (count / all >= min_probability) emission.operators[op] = static_cast<float>(count / all);
  return emission;
}

using Emissions = std::unordered_map<std::string, match::OpEmission>;

// Before anything is known an operation may become any operator.
Emissions with_unknown(Emissions known, const std::vector<Lesson>& lessons) {
  std::unordered_map<std::string, float> frequencies;
  double all = 0;
  for (const Lesson& lesson : lessons)
    for (const match::NodeItem& item : lesson.items) {
      frequencies[std::string(lesson.example->model.node(item.node).op_type())] += 1;
      all += 1;
    }
  for (auto& [op, count] : frequencies) count /= static_cast<float>(all);
  for (const Lesson& lesson : lessons)
    for (const std::string& operation : lesson.recording->op_names)
      known.try_emplace(operation, match::OpEmission{0.5f, 0.3f, frequencies});
  return known;
}

double count_emissions(const Lesson& lesson, const match::EmissionTable& table, bool use_flow,
                       match::EmissionCounts& sum) {
  match::EmissionCounts counts;
  match::AlignOptions options;
  options.counts = &counts;
  options.use_flow = use_flow;
  options.is_pair_allowed = [&](std::uint32_t step, std::uint32_t item) {
    const auto& owners = lesson.example->owners[lesson.items[item].node];
    return owners.empty() ||
           std::find(owners.begin(), owners.end(), lesson.recording->steps[step].module) != owners.end();
  };
  const double likelihood =
      match::align(*lesson.recording, lesson.example->model, lesson.items, table, options).log_likelihood;
  add_limited(sum, counts);
  return likelihood;
}

// Learns the operations that are not known yet; the known ones help to align, and stay as they are.
Emissions learn(const std::string& exporter, const std::vector<Lesson>& lessons, const Emissions& known) {
  Emissions emissions = with_unknown(known, lessons);
  for (int round = 0; round < em_rounds; ++round) {
    const match::EmissionTable table(exporter, emissions);
    match::EmissionCounts counts;
    double likelihood = 0;
    for (const Lesson& lesson : lessons)
      likelihood += count_emissions(lesson, table, round > em_rounds / 2, counts);
    emissions = known;
    for (const auto& [operation, sum] : counts.sums) emissions.try_emplace(operation, estimate(sum));
    std::fprintf(stderr, "%s, round %d: log likelihood %.0f\n", exporter.c_str(), round + 1, likelihood);
  }
  return emissions;
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
  std::deque<Example> examples;  // lessons point to them
  std::vector<std::string> exporters;
  for (int i = 2; i < argc; i += 4)
    if (std::optional<Example> example = read_example(argv + i)) {
      examples.push_back(*std::move(example));
      if (std::find(exporters.begin(), exporters.end(), argv[i]) == exporters.end())
        exporters.emplace_back(argv[i]);
    }
  std::vector<match::EmissionTable> learned;
  for (const std::string& exporter : exporters) {
    const Emissions traced = learn(exporter, lessons_of(examples, exporter, &capture::Capture::trace), {});
    // Graphs of torch.export have operations that no execution records.
    learned.emplace_back(exporter,
                         learn(exporter, lessons_of(examples, exporter, &capture::Capture::fx), traced));
  }
  std::ofstream(argv[1]) << as_json(learned);
  return 0;
}
