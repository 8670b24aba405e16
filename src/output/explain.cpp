// Why a node got its module, told the way a colleague would.

#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "base/text.h"
#include "output/explain_json.h"
#include "output/formats.h"
#include "output/json_text.h"
#include "output/source_lines.h"
#include "output/styles.h"

namespace thence::output {
namespace {

using evidence::Evidence;
using evidence::NodeMatch;
using evidence::Reading;
using evidence::Source;
using evidence::Strength;
using modules::no_module;
using semantics::Map;

std::string path_or_root(const modules::ModuleTree& tree, modules::ModuleId module) {
  return module == modules::root ? "(root)" : base::printable(tree[module].path);
}
std::string path_or_root(const Map& map, modules::ModuleId module) {
  return path_or_root(map.tree(), module);
}

// What the evidence speaks of is the model's own module, whatever rules tell it as.
bool accepts(const Map& map, onnx::NodeId node, const Evidence& evidence) {
  return map.own_answer(node).known() && evidence.module == map.own_answer(node).module;
}

// How a node was matched with one of the ancestor's.
std::string transferred_words(Strength strength, const std::string& ancestor) {
  if (strength.has_rivals)
    return base::format("may be the ancestor's {}, or another that is equal", ancestor);
  if (strength.is_secondary) return "takes part in the same node";
  switch (strength.match) {
    case NodeMatch::same_node: return base::format("it is the ancestor's {}, unchanged", ancestor);
    case NodeMatch::same_inputs:
      return base::format("the same operation of the same values as the ancestor's {}", ancestor);
    case NodeMatch::same_weight:
      return base::format("the one operation that reads the weight of the ancestor's {}", ancestor);
    case NodeMatch::same_consumers:
      return base::format("what it makes is read where the ancestor reads what {} makes", ancestor);
    case NodeMatch::same_region:
      return base::format("all between its inputs and what the ancestor's {} makes", ancestor);
    case NodeMatch::unique_remaining:
      return base::format("the one operation left that may be the ancestor's {}", ancestor);
    case NodeMatch::same_view:
      return base::format("gives a value the form that the ancestor's {} gives", ancestor);
    case NodeMatch::inserted:
      return base::format("a rewrite put it in; it carries what the ancestor's {} makes", ancestor);
    case NodeMatch::feeds_matched:
    case NodeMatch::feeds_matched_indirectly:
      return base::format("serves what comes of the ancestor's {} alone", ancestor);
  }
  return {};
}

// What the evidence says, in words.
std::string words(const Evidence& evidence) {
  const std::string why = base::printable(evidence.why);
  switch (evidence.source) {
    case Source::tags: return "tagged by thence, and unchanged since";
    case Source::transferred: return transferred_words(evidence.strength, why);
    case Source::dynamo_metadata:
      if (evidence.strength.reading == Reading::rewritten)
        return base::format("a rewrite kept the stack that ends in {}", why);
      return base::format(
          "the exporter's module stack{} ends in {}{}",
          evidence.strength.reading == Reading::uncorroborated ? ", cut off at its outer end," : "",
          why.empty() ? "the root" : why,
          evidence.strength.reading == Reading::leading_view ? ", which may only read what this view is of"
                                                             : "");
    case Source::onnx_scope_parsing:
    case Source::value_names: {
      const char* what = evidence.source == Source::value_names ? "its output's scope" : "its scope";
      std::string text = base::format("{} is {}", what, why.empty() ? "the root's" : why);
      if (evidence.call > 0) text += base::format(" (call {})", evidence.call);
      if (evidence.strength.has_rivals) return text + ", which fits several modules";
      if (evidence.strength.reading == Reading::uncorroborated)
        text += ", and nothing else speaks of that module";
      if (evidence.strength.reading == Reading::inferred_call)
        text += ", a call that skips a level or comes from elsewhere";
      if (evidence.strength.reading == Reading::foreign) text += ", written by another framework";
      return text;
    }
    case Source::function: return base::format("calls a function that is given {}", why);
    case Source::trace_module_map: return "the exporter was in this call when it made the node";
    case Source::fx_graph: return base::format("it follows from {} in the torch.export graph", why);
    case Source::execution_trace: return base::format("it follows from {}, seen while the model ran", why);
    case Source::parameter: return base::format("reads {}", why);
    case Source::neighbours:
    case Source::count: break;
  }
  return why;
}

struct Neighbour {
  const char* side;
  onnx::NodeId node;
};

std::vector<Neighbour> neighbours(const Map& map, onnx::NodeId id) {
  std::vector<Neighbour> found;
  const onnx::Model& model = map.model();
  for (const onnx::ValueId value : model.node(id).inputs()) {
    if (value == onnx::none) continue;
    const onnx::Producer producer = model.producer(value);
    if (producer.kind == onnx::Producer::Kind::node && found.size() < 8)
      found.push_back({"from", producer.index});
  }
  const std::size_t writers = found.size();
  const auto from_here = [&](onnx::ValueId value) {
    if (value == onnx::none) return false;
    const onnx::Producer producer = model.producer(value);
    return producer.kind == onnx::Producer::Kind::node && producer.index == id;
  };
  for (onnx::NodeId other = 0; other < model.node_count() && found.size() < writers + 8; ++other) {
    const auto inputs = model.node(other).inputs();
    if (std::any_of(inputs.begin(), inputs.end(), from_here)) found.push_back({"to", other});
  }
  // What a body gives out goes to the node that holds the body.
  for (const onnx::Graph& graph : model.graphs())
    if (graph.owner != onnx::none && found.size() < writers + 8 &&
        std::any_of(graph.outputs.begin(), graph.outputs.end(), from_here))
      found.push_back({"to", graph.owner});
  return found;
}

std::string node_title(const Map& map, onnx::NodeId id) {
  const onnx::Node node = map.model().node(id);
  const std::string graph = base::printable(map.model().graph_label(node.graph()));
  const std::string name =
      node.name().empty() ? base::format("{}#{}", graph, node.index()) : base::printable(node.name());
  return base::format("{}  {}  ({}, index {})", name, base::printable(node.op_type()),
                      graph.empty() ? "main graph" : graph, node.index());
}

std::string class_text(const Map& map, modules::ModuleId module, const semantics::ModuleFacts& facts) {
  const std::string_view own = map.tree()[module].class_name;
  if (own.empty()) return "class unknown";
  std::string text = base::printable(own);
  if (facts.hf_module != no_module && facts.hf_module != module)
    text +=
        base::format(" in {}", base::printable(modules::short_class(map.tree()[facts.hf_module].class_name)));
  return text;
}

void add_line(base::Writer& out, std::string_view label, std::string_view text) {
  out.add(base::format("  {:<11} {}\n", label, text));
}

std::string cut(std::string_view text) {
  constexpr std::size_t longest = 160;
  return base::printable(text.substr(0, longest)) + (text.size() > longest ? "..." : "");
}

void add_source_lines(const onnx::Node& node, base::Writer& out) {
  constexpr std::size_t most = 3;
  const std::vector<Frame> frames = source_lines(node);
  for (std::size_t i = 0; i < frames.size() && i < most; ++i) {
    const Frame& frame = frames[i];
    add_line(out, i == 0 ? "source" : "",
             base::format("{}:{} in {}", cut(frame.file), frame.line, cut(frame.function)));
    if (!frame.code.empty()) add_line(out, "", "    " + cut(frame.code));
  }
  if (frames.size() > most)
    add_line(out, "", base::format("and {} more frames around it", frames.size() - most));
}

// What goes in and out, as far as shapes are known, and the work of it.
void add_shapes(const onnx::Node& node, const shapes::Inferred& inferred, base::Writer& out) {
  constexpr std::size_t most = 6;
  const auto list = [&](std::span<const onnx::ValueId> values) {
    std::string text;
    for (std::size_t i = 0; i < values.size() && i < most; ++i)
      text += (i > 0 ? " " : "") + (values[i] == onnx::none
                                        ? std::string("-")
                                        : shapes::text_of(inferred.values.shape(values[i]), inferred.sizes));
    return values.size() > most ? text + " ..." : text;
  };
  const std::string in = list(node.inputs());
  add_line(out, "shapes", in + (in.empty() ? "-> " : " -> ") + list(node.outputs()));
  const shapes::Size macs = inferred.work[node.id()].macs;
  if (!macs.known()) add_line(out, "work", "unknown: not all of its shapes are known");
  if (!macs.known() || macs.is(0)) return;
  shapes::Polynomial flops;
  if (flops.add(inferred.sizes.polynomial(macs), 2))
    add_line(out, "work", base::format("{} FLOPs", inferred.sizes.text(flops)));
}

}  // namespace

void write_explanation(const Map& map, const shapes::Inferred& inferred, onnx::NodeId id, bool colour,
                       base::Writer& out) {
  const resolve::Attribution& answer = map.answer(id);
  const std::vector<Evidence> all = resolve::evidence_of(map.evidence(), id);
  out.add(base::format("{}{}{}\n", colour ? bold : "", node_title(map, id), colour ? plain : ""));
  if (answer.known()) {
    const semantics::ModuleFacts facts = map.facts(answer.module);
    add_line(
        out, "module",
        base::format("{}   {}", path_or_root(map, answer.module), class_text(map, answer.module, facts)));
    if (!facts.tag.empty()) add_line(out, "tag", base::printable(facts.tag));
    std::string role(facts.role.type);
    if (!facts.role.component.empty())
      role += (role.empty() ? "" : " · ") + std::string(facts.role.component);
    for (const modules::LayerStep& step : facts.layers)
      role += base::format("{}{} {}", role.empty() ? "" : " · ", base::printable(step.container), step.index);
    if (!role.empty()) add_line(out, "role", role);
    add_line(out, "confidence", base::format("{:.4g} {}", answer.confidence, semantics::level_of(answer)));
  } else {
    add_line(out, "module", "unknown");
    add_line(out, "because", resolve::text_of(answer.reason));
  }
  const modules::ModuleId own = map.own_answer(id).module;
  if (map.told() != nullptr && answer.known() && map.told()->view.stands_for[answer.module] != own)
    add_line(out, "told for", path_or_root(map.own_tree(), own));
  const auto modules = map.modules_of(id);
  if (modules.size() > 1)
    for (std::size_t i = 0; i < modules.size(); ++i)
      add_line(out, i == 0 ? "serves" : "", path_or_root(map, modules[i]));
  if (answer.weight_owner != no_module) add_line(out, "weight of", path_or_root(map, answer.weight_owner));
  if (answer.known() && answer.inferred)
    add_line(out, "because",
             base::format("{:<18} no evidence of its own; decided by what it is wired to",
                          evidence::name_of(answer.source)));
  bool first = true;
  for (const Evidence& e : all)
    if (accepts(map, id, e)) {
      add_line(out, first && !answer.inferred ? "because" : "",
               base::format("{:<18} {}", evidence::name_of(e.source), words(e)));
      first = false;
    }
  std::string_view last;
  for (const Evidence& e : all)
    if (!accepts(map, id, e)) {
      const bool served = e.module != no_module &&
                          std::find(modules.begin(), modules.end(), map.told_as(e.module)) != modules.end();
      const std::string_view label = !answer.known() ? "rivals" : served ? "as well" : "rejected";
      add_line(out, label == last ? "" : label,
               base::format("{:<18} {}: {}", evidence::name_of(e.source),
                            path_or_root(map.own_tree(), e.module), words(e)));
      last = label;
    }
  const resolve::Rule rule = map.own_answer(id).rule;
  add_line(out, "rule", base::format("{:<18} {}", resolve::name_of(rule), resolve::text_of(rule)));
  add_shapes(map.model().node(id), inferred, out);
  add_source_lines(map.model().node(id), out);
  first = true;
  for (const Neighbour& neighbour : neighbours(map, id)) {
    const resolve::Attribution& other = map.answer(neighbour.node);
    add_line(out, first ? "neighbours" : "",
             base::format("{:<5} {:<24} {}", neighbour.side,
                          base::printable(map.model().node(neighbour.node).op_type()),
                          other.known() ? path_or_root(map, other.module)
                                        : base::format("unknown ({})", resolve::name_of(other.reason))));
    first = false;
  }
  out.flush();
}

void write_explanation_json(const Map& map, const shapes::Inferred& inferred, onnx::NodeId id,
                            base::Writer& out) {
  const resolve::Attribution& answer = map.answer(id);
  const onnx::Node node = map.model().node(id);
  const auto path = [&](std::string& text, modules::ModuleId module, const modules::ModuleTree& tree) {
    if (module == no_module)
      text += "null";
    else
      append_json_string(text, tree[module].path);
  };
  std::string& text = out.buffer();
  text += R"({"schema":"thence.explanation/1","graph":)";
  append_json_string(text, map.model().graph_label(node.graph()));
  base::append_format(text, R"(,"index":{},"name":)", node.index());
  append_json_string(text, node.name());
  text += R"(,"op_type":)";
  append_json_string(text, node.op_type());
  text += R"(,"module":)";
  path(text, answer.module, map.tree());
  text += R"(,"source":)";
  append_json_string_or_null(text, answer.known() ? evidence::name_of(answer.source) : std::string_view());
  base::append_format(text, R"(,"confidence":{:.4g},"level":"{}","inferred":{},"reason":)", answer.confidence,
                      semantics::level_of(answer), answer.inferred);
  append_json_string_or_null(text, map.reason(id));
  const std::vector<Evidence> all = resolve::evidence_of(map.evidence(), id);
  base::append_format(text, R"(,"rule":"{}","evidence":[)", resolve::name_of(map.own_answer(id).rule));
  bool first = true;
  for (const Evidence& e : all) {
    text += first ? R"({"source":")" : R"(,{"source":")";
    first = false;
    text += evidence::name_of(e.source);
    text += R"(","module":)";
    path(text, e.module, map.own_tree());
    base::append_format(text, R"(,"call":{},"strength":"{}","accepted":{},"why":)", e.call,
                        evidence::name_of(e.strength), accepts(map, id, e));
    append_json_string(text, words(e));
    text.push_back('}');
  }
  text += R"(],"neighbours":[)";
  first = true;
  for (const Neighbour& neighbour : neighbours(map, id)) {
    const onnx::Node other = map.model().node(neighbour.node);
    base::append_format(text, R"({}{{"side":"{}","graph":)", first ? "" : ",", neighbour.side);
    first = false;
    append_json_string(text, map.model().graph_label(other.graph()));
    base::append_format(text, R"(,"index":{},"op_type":)", other.index());
    append_json_string(text, other.op_type());
    text += R"(,"module":)";
    path(text, map.answer(neighbour.node).module, map.tree());
    text.push_back('}');
  }
  text += "],";
  append_shapes(text, node, inferred);
  text += ',';
  append_source_lines(text, node);
  text += "}\n";
  out.flush();
}

}  // namespace thence::output
