#include "score/score.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "modules/class_filter.h"

namespace thence::score {
namespace {

using modules::ModuleId;
using modules::no_module;

constexpr std::size_t bands = 10;
constexpr float surely = 0.9f;

std::size_t depth(std::string_view path) {
  return path.empty() ? 0 : 1 + static_cast<std::size_t>(std::count(path.begin(), path.end(), '.'));
}

bool is_around(std::string_view outer, std::string_view inner) {
  return outer.empty() ||
         (inner.starts_with(outer) && inner.size() > outer.size() && inner[outer.size()] == '.');
}

// All paths that count as exact.
std::vector<std::string_view> accepted(const Truth& truth, const TrueNode& node) {
  const modules::Module& module = truth.tree[node.module];
  std::vector<std::string_view> paths{module.path};
  paths.insert(paths.end(), module.aliases.begin(), module.aliases.end());
  paths.insert(paths.end(), node.accept.begin(), node.accept.end());
  return paths;
}

Verdict judge(std::string_view answer, const std::vector<std::string_view>& right) {
  const auto any = [&](auto fits) { return std::any_of(right.begin(), right.end(), fits); };
  if (any([&](std::string_view path) { return path == answer; })) return Verdict::exact;
  if (any([&](std::string_view path) { return is_around(answer, path); })) return Verdict::ancestor;
  const bool crosses =
      !any([&](std::string_view path) { return !modules::are_in_different_layers(answer, path); });
  return crosses ? Verdict::cross_layer : Verdict::wrong_branch;
}

double share(std::size_t part, std::size_t all) {
  return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
}

// An answer and whether it is exact, for statistics over all answers.
struct Judged {
  float confidence;
  bool exact;
};

double calibration_error(const std::vector<Band>& all) {
  double error = 0;
  std::size_t answers = 0;
  for (const Band& band : all) {
    error += std::abs(static_cast<double>(band.exact) - band.confidence);
    answers += band.answers;
  }
  return answers == 0 ? 0 : error / static_cast<double>(answers);
}

// Ties count half.
double ranking(std::vector<Judged> judged) {
  std::sort(judged.begin(), judged.end(),
            [](const Judged& a, const Judged& b) { return a.confidence < b.confidence; });
  double won = 0;
  std::size_t exact = 0, wrong = 0;
  for (std::size_t at = 0; at < judged.size();) {
    std::size_t exact_here = 0, wrong_here = 0;
    const float confidence = judged[at].confidence;
    for (; at < judged.size() && judged[at].confidence == confidence; ++at)
      ++(judged[at].exact ? exact_here : wrong_here);
    won += static_cast<double>(exact_here) *
           (static_cast<double>(wrong) + 0.5 * static_cast<double>(wrong_here));
    exact += exact_here;
    wrong += wrong_here;
  }
  return exact == 0 || wrong == 0 ? 1 : won / (static_cast<double>(exact) * static_cast<double>(wrong));
}

// The expected modules of nodes without a truth: the common module of all consumers, followed through other
// nodes without a truth.
std::vector<ModuleId> owners_of_made(const onnx::Model& model, const Truth& truth) {
  std::vector<ModuleId> owners(truth.nodes.size(), no_module);
  for (std::size_t i = 0; i < owners.size(); ++i) owners[i] = truth.nodes[i].module;
  for (onnx::NodeId id = model.node_count(); id-- > 0;) {
    if (owners[id] == no_module) continue;
    for (const onnx::ValueId value : model.node(id).inputs()) {
      if (value == onnx::none) continue;
      const onnx::Producer producer = model.producer(value);
      if (producer.kind != onnx::Producer::Kind::node || producer.index >= id ||
          truth.nodes[producer.index].module != no_module)
        continue;
      ModuleId& owner = owners[producer.index];
      owner = owner == no_module ? owners[id] : truth.tree.common_ancestor(owner, owners[id]);
    }
  }
  return owners;
}

std::optional<Error> check_same_model(const semantics::Map& map, const Truth& truth,
                                      const std::string& label) {
  const onnx::Model& model = map.model();
  const auto other = [&](const std::string& what) {
    return Error{ErrorKind::bad_input, "S004",
                 base::format("{}: truth of another model: {}", base::printable(label), what),
                 "give the truth of this model"};
  };
  if (truth.nodes.size() != model.node_count())
    return other(base::format("it has {} nodes, and {} has {}", truth.nodes.size(),
                              base::printable(model.file()), model.node_count()));
  onnx::GraphId labelled = onnx::none;
  std::string graph;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const onnx::Node node = model.node(id);
    if (node.graph() != labelled) {
      labelled = node.graph();
      graph = model.graph_label(labelled);
    }
    if (truth.nodes[id].graph != graph || truth.nodes[id].index != node.index())
      return other(base::format("its row {} is of node {} in '{}', and the model's is of node {} in '{}'", id,
                                truth.nodes[id].index, base::printable(truth.nodes[id].graph), node.index(),
                                base::printable(graph)));
  }
  return std::nullopt;
}

class Scorer {
 public:
  Scorer(const semantics::Map& map, const Truth& truth) : map_(map), truth_(truth) {
    score_.nodes = truth.nodes.size();
    for (std::size_t i = 0; i < bands; ++i)
      score_.bands.push_back({static_cast<float>(i) / bands, static_cast<float>(i + 1) / bands});
  }

  Score run() {
    const std::vector<ModuleId> owners = owners_of_made(map_.model(), truth_);
    for (onnx::NodeId id = 0; id < map_.model().node_count(); ++id)
      if (truth_.nodes[id].module != no_module)
        add_told(id);
      else if (owners[id] != no_module)
        add_made(id, owners[id]);
    score_.calibration_error = calibration_error(score_.bands);
    score_.ranking = ranking(std::move(judged_));
    return std::move(score_);
  }

 private:
  void add_told(onnx::NodeId id) {
    const resolve::Attribution& answer = map_.answer(id);
    const std::string op_type(map_.model().node(id).op_type());
    const auto right = accepted(truth_, truth_.nodes[id]);
    Verdict verdict = Verdict::unknown;
    if (answer.known()) {
      const std::string_view path = map_.tree()[answer.module].path;
      verdict = judge(path, right);
      add_answer(id, answer, verdict);
      if (verdict == Verdict::ancestor)
        score_.ancestor_steps += depth(right.front()) - std::min(depth(path), depth(right.front()));
      ++score_.by_source[evidence::name_of(answer.source)].of[static_cast<std::size_t>(verdict)];
    }
    ++score_.counts.of[static_cast<std::size_t>(verdict)];
    ++score_.by_op_type[op_type].of[static_cast<std::size_t>(verdict)];
    if (const std::string& kind = truth_.nodes[id].kind; !kind.empty())
      ++score_.by_kind[kind].of[static_cast<std::size_t>(verdict)];
  }

  void add_answer(onnx::NodeId id, const resolve::Attribution& answer, Verdict verdict) {
    const bool exact = verdict == Verdict::exact;
    const auto at = std::min(static_cast<std::size_t>(answer.confidence * bands), bands - 1);
    Band& band = score_.bands[at];
    ++band.answers;
    band.exact += exact;
    band.confidence += answer.confidence;
    Rested& rested = score_.by_basis[answer.basis];
    ++rested.answers;
    rested.exact += exact;
    judged_.push_back({answer.confidence, exact});
    score_.confidently_wrong += !exact && answer.confidence >= surely;
    const ModuleId told = map_.facts(answer.module).hf_module;
    const ModuleId true_one = filter_.hf_module(truth_.tree, truth_.nodes[id].module);
    score_.hf_exact += (told == no_module) == (true_one == no_module) &&
                       (told == no_module || truth_.tree.find(map_.tree()[told].path) == true_one);
  }

  void add_made(onnx::NodeId id, ModuleId owner) {
    ++score_.made.nodes;
    const resolve::Attribution& answer = map_.answer(id);
    if (!answer.known()) return;
    ++score_.made.answered;
    score_.made.owner += truth_.tree.find(map_.tree()[answer.module].path) == owner;
  }

  const semantics::Map& map_;
  const Truth& truth_;
  const modules::ClassFilter filter_;
  Score score_;
  std::vector<Judged> judged_;
};

}  // namespace

std::string_view name_of(Verdict verdict) {
  constexpr std::array<std::string_view, verdict_count> names = {"exact", "ancestor", "cross_layer",
                                                                 "wrong_branch", "unknown"};
  return names[static_cast<std::size_t>(verdict)];
}

std::size_t Counts::told() const {
  std::size_t all = 0;
  for (const std::size_t count : of) all += count;
  return all;
}

std::size_t Counts::wrong() const { return answered() - (*this)[Verdict::exact]; }

Result<Score> score(const semantics::Map& map, const Truth& truth, const std::string& truth_label) {
  if (auto error = check_same_model(map, truth, truth_label)) return *error;
  return Scorer(map, truth).run();
}

std::vector<Figure> figures(const Score& score) {
  const std::size_t told = score.counts.told(), answered = score.counts.answered();
  const auto of = [&](Verdict verdict) { return share(score.counts[verdict], told); };
  return {
      {"exact", of(Verdict::exact)},
      {"precision", answered == 0 ? 1 : share(score.counts[Verdict::exact], answered)},
      {"hf_module", share(score.hf_exact, told)},
      {"ancestor", of(Verdict::ancestor), false},
      {"cross_layer", of(Verdict::cross_layer), false},
      {"wrong_branch", of(Verdict::wrong_branch), false},
      {"wrong", share(score.counts.wrong(), told), false},
      {"confidently_wrong", share(score.confidently_wrong, told), false},
      {"unknown", of(Verdict::unknown), false},
      {"made", score.made.nodes == 0 ? 1 : share(score.made.owner, score.made.nodes)},
      {"calibration_error", score.calibration_error, false},
      {"ranking", score.ranking},
  };
}

}  // namespace thence::score
