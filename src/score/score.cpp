#include "score/score.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "modules/class_filter.h"

namespace thence::score {
namespace {

using modules::ModuleId;
using modules::no_module;

constexpr std::size_t band_count = 10;
constexpr float min_confident = 0.9f;

std::size_t depth(std::string_view path) {
  return path.empty() ? 0 : 1 + static_cast<std::size_t>(std::count(path.begin(), path.end(), '.'));
}

bool encloses(std::string_view outer, std::string_view inner) {
  return outer.empty() ||
         (inner.starts_with(outer) && inner.size() > outer.size() && inner[outer.size()] == '.');
}

// All paths that count as exact.
std::vector<std::string_view> accepted_paths(const Truth& truth, const TrueNode& node) {
  std::vector<std::string_view> paths{truth.tree[node.module].path};
  paths.insert(paths.end(), node.accept.begin(), node.accept.end());
  return paths;
}

Outcome judge(std::string_view answer, const std::vector<std::string_view>& right) {
  const auto any = [&](auto fits) { return std::any_of(right.begin(), right.end(), fits); };
  if (any([&](std::string_view path) { return path == answer; })) return Outcome::exact;
  if (any([&](std::string_view path) { return encloses(answer, path); })) return Outcome::enclosing;
  const bool crosses =
      !any([&](std::string_view path) { return !modules::are_in_different_layers(answer, path); });
  return crosses ? Outcome::cross_layer : Outcome::wrong_branch;
}

double share(std::size_t part, std::size_t all) {
  return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
}

// An answer and whether it is exact, for statistics over all answers.
struct JudgedAnswer {
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
double ranking(std::vector<JudgedAnswer> judged) {
  std::sort(judged.begin(), judged.end(),
            [](const JudgedAnswer& a, const JudgedAnswer& b) { return a.confidence < b.confidence; });
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
std::vector<ModuleId> expected_owners(const onnx::Model& model, const Truth& truth) {
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
      owner = owner == no_module ? owners[id] : truth.tree.nearest_common_module(owner, owners[id]);
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
    for (std::size_t i = 0; i < band_count; ++i)
      score_.bands.push_back({static_cast<float>(i) / band_count, static_cast<float>(i + 1) / band_count});
  }

  Score run() {
    const std::vector<ModuleId> owners = expected_owners(map_.model(), truth_);
    for (onnx::NodeId id = 0; id < map_.model().node_count(); ++id)
      if (truth_.nodes[id].module != no_module)
        add_node_with_truth(id);
      else if (owners[id] != no_module)
        add_exporter_node(id, owners[id]);
    score_.calibration_error = calibration_error(score_.bands);
    score_.ranking = ranking(std::move(judged_));
    return std::move(score_);
  }

 private:
  void add_node_with_truth(onnx::NodeId id) {
    const resolve::Attribution& answer = map_.answer(id);
    const std::string op_type(map_.model().node(id).op_type());
    const auto right = accepted_paths(truth_, truth_.nodes[id]);
    Outcome outcome = Outcome::unknown;
    if (answer.known()) {
      const std::string_view path = map_.tree()[answer.module].path;
      outcome = judge(path, right);
      add_answer(id, answer, outcome);
      if (path == right.front()) add_call(truth_.nodes[id], answer);
      if (outcome == Outcome::exact) add_members(id);
      if (outcome == Outcome::enclosing)
        score_.enclosing_steps += depth(right.front()) - std::min(depth(path), depth(right.front()));
      ++score_.by_source[evidence::name_of(answer.source)].by_outcome[static_cast<std::size_t>(outcome)];
    } else if (lists_all(map_.modules_of(id), right)) {
      outcome = Outcome::exact;
    }
    ++score_.counts.by_outcome[static_cast<std::size_t>(outcome)];
    ++score_.by_op_type[op_type].by_outcome[static_cast<std::size_t>(outcome)];
    if (const std::string& kind = truth_.nodes[id].kind; !kind.empty())
      ++score_.by_kind[kind].by_outcome[static_cast<std::size_t>(outcome)];
  }

  // A node of a function belongs to a module of each call. It has no primary one, and all are listed.
  bool lists_all(const std::vector<ModuleId>& listed, std::vector<std::string_view> right) const {
    if (listed.size() < 2) return false;
    std::vector<std::string_view> paths;
    for (const ModuleId module : listed) paths.push_back(map_.tree()[module].path);
    for (std::vector<std::string_view>* const each : {&paths, &right}) {
      std::sort(each->begin(), each->end());
      each->erase(std::unique(each->begin(), each->end()), each->end());
    }
    return paths == right;
  }

  void add_answer(onnx::NodeId id, const resolve::Attribution& answer, Outcome outcome) {
    const bool exact = outcome == Outcome::exact;
    const auto at = std::min(static_cast<std::size_t>(answer.confidence * band_count), band_count - 1);
    Band& band = score_.bands[at];
    ++band.answers;
    band.exact += exact;
    band.confidence += answer.confidence;
    BasisCounts& basis_counts = score_.by_basis[answer.basis];
    ++basis_counts.answers;
    basis_counts.exact += exact;
    judged_.push_back({answer.confidence, exact});
    score_.confidently_wrong += !exact && answer.confidence >= min_confident;
    const ModuleId answered = map_.facts(answer.module).hf_module;
    const ModuleId true_module = filter_.hf_module(truth_.tree, truth_.nodes[id].module);
    score_.hf_exact += (answered == no_module) == (true_module == no_module) &&
                       (answered == no_module || truth_.tree.find(map_.tree()[answered].path) == true_module);
  }

  void add_call(const TrueNode& node, const resolve::Attribution& answer) {
    if (node.calls.empty()) return;
    const bool is_right =
        answer.call() && std::find(node.calls.begin(), node.calls.end(), *answer.call()) != node.calls.end();
    ++(!answer.call() ? score_.calls.unknown : is_right ? score_.calls.right : score_.calls.wrong);
  }

  // Paths that the truth accepts for one module are neither missing nor too many.
  void add_members(onnx::NodeId id) {
    const TrueNode& node = truth_.nodes[id];
    if (node.members.empty()) return;
    std::vector<std::string_view> answered;
    for (const ModuleId module : map_.modules_of(id)) answered.push_back(map_.tree()[module].path);
    const auto is_in = [](const auto& list, std::string_view path) {
      return std::find(list.begin(), list.end(), path) != list.end();
    };
    std::size_t missing = 0, extra = 0;
    for (const std::string& member : node.members) missing += !is_in(answered, member);
    for (const std::string_view path : answered)
      extra += !is_in(node.members, path) && !is_in(node.accept, path) && !is_in(node.optional_members, path);
    if (node.members.size() < 2) {
      score_.members.shared += extra > 0;
      return;
    }
    score_.members.missing += missing;
    score_.members.extra += extra;
    ++score_.members.nodes;
    score_.members.expected += node.members.size();
    score_.members.complete += missing == 0 && extra == 0;
  }

  void add_exporter_node(onnx::NodeId id, ModuleId owner) {
    ++score_.exporter_nodes.nodes;
    const resolve::Attribution& answer = map_.answer(id);
    if (!answer.known()) return;
    ++score_.exporter_nodes.answered;
    score_.exporter_nodes.owner += truth_.tree.find(map_.tree()[answer.module].path) == owner;
  }

  const semantics::Map& map_;
  const Truth& truth_;
  const modules::ClassFilter filter_;
  Score score_;
  std::vector<JudgedAnswer> judged_;
};

}  // namespace

std::string_view name_of(Outcome outcome) {
  constexpr std::array<std::string_view, outcome_count> names = {"exact", "ancestor", "cross_layer",
                                                                 "wrong_branch", "unknown"};
  return names[static_cast<std::size_t>(outcome)];
}

std::size_t Counts::with_truth() const {
  std::size_t all = 0;
  for (const std::size_t count : by_outcome) all += count;
  return all;
}

std::size_t Counts::wrong() const { return answered() - (*this)[Outcome::exact]; }

Result<Score> score(const semantics::Map& map, const Truth& truth, const std::string& truth_label) {
  if (auto error = check_same_model(map, truth, truth_label)) return *error;
  return Scorer(map, truth).run();
}

std::vector<Figure> figures(const Score& score) {
  const std::size_t with_truth = score.counts.with_truth(), answered = score.counts.answered();
  const auto of = [&](Outcome outcome) { return share(score.counts[outcome], with_truth); };
  return {
      {"exact", of(Outcome::exact)},
      {"precision", answered == 0 ? 1 : share(score.counts[Outcome::exact], answered)},
      {"hf_module", share(score.hf_exact, with_truth)},
      {"ancestor", of(Outcome::enclosing), false},
      {"cross_layer", of(Outcome::cross_layer), false},
      {"wrong_branch", of(Outcome::wrong_branch), false},
      {"wrong", share(score.counts.wrong(), with_truth), false},
      {"confidently_wrong", share(score.confidently_wrong, with_truth), false},
      {"unknown", of(Outcome::unknown), false},
      {"made",
       score.exporter_nodes.nodes == 0 ? 1 : share(score.exporter_nodes.owner, score.exporter_nodes.nodes)},
      {"calibration_error", score.calibration_error, false},
      {"ranking", score.ranking},
      {"wrong_call", share(score.calls.wrong, score.calls.all()), false},
      {"unknown_call", share(score.calls.unknown, score.calls.all()), false},
      {"complete_members", score.members.nodes == 0 ? 1 : share(score.members.complete, score.members.nodes)},
  };
}

}  // namespace thence::score
