// Explains the answer for a node in plain text.

#include <algorithm>
#include <iterator>
#include <span>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "output/explain_json.h"
#include "output/formats.h"
#include "output/limits.h"
#include "output/source_lines.h"
#include "output/styles.h"

namespace thence::output {
namespace {

using evidence::Evidence;
using evidence::NameReading;
using evidence::NodeMatch;
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

// Evidence refers to the model's own modules, whatever the rules report.
bool is_accepted(const Map& map, onnx::NodeId node, const Evidence& evidence) {
  return map.own_answer(node).known() && evidence.module == map.own_answer(node).module;
}

// Describes how a node was matched with a node of the ancestor.
std::string describe_transfer(Strength strength, const std::string& ancestor) {
  if (strength.has_rivals)
    return base::format("could be the ancestor's {} or another node equal to it", ancestor);
  if (strength.is_secondary) return "another node of the ancestor that was fused into this one";
  switch (strength.match) {
    case NodeMatch::same_node: return base::format("equals the ancestor's {}", ancestor);
    case NodeMatch::same_inputs:
      return base::format("same operation on the same inputs as the ancestor's {}", ancestor);
    case NodeMatch::same_weight:
      return base::format("the only operation that reads the weight of the ancestor's {}", ancestor);
    case NodeMatch::same_consumers:
      return base::format("its output has the same consumers as that of the ancestor's {}", ancestor);
    case NodeMatch::same_region:
      return base::format("replaces everything from its inputs up to the ancestor's {}", ancestor);
    case NodeMatch::unique_remaining:
      return base::format("the only unmatched operation that fits the ancestor's {}", ancestor);
    case NodeMatch::same_view: return base::format("reshapes a value as the ancestor's {} does", ancestor);
    case NodeMatch::inserted:
      return base::format("inserted by a rewrite on the output of the ancestor's {}", ancestor);
    case NodeMatch::feeds_matched:
    case NodeMatch::feeds_matched_indirectly:
      return base::format("used only to compute the output of the ancestor's {}", ancestor);
    case NodeMatch::enclosed: return "lies between matched nodes of this module";
  }
  return {};
}

std::string describe_metadata(Strength strength, const std::string& why) {
  if (strength.reading == NameReading::rewritten)
    return base::format("a rewrite kept the stack that ends in {}", why);
  if (strength.reading == NameReading::outer_module)
    return base::format("the exporter's path of classes leads to {}, or to a module inside it", why);
  const bool is_truncated = strength.reading == NameReading::uncorroborated,
             is_leading_view = strength.reading == NameReading::leading_view;
  return base::format("the exporter's module stack{} ends in {}{}",
                      is_truncated ? ", cut off at its outer end," : "", why.empty() ? "the root" : why,
                      is_leading_view ? "; a view may have the stack of the module that reads it" : "");
}

std::string describe_scope(const Evidence& evidence, const std::string& why) {
  const char* what = evidence.source == Source::value_names ? "its output's scope" : "its scope";
  std::string text = base::format("{} is {}", what, why.empty() ? "the root's" : why);
  if (evidence.call.value_or(0) > 0) text += base::format(" (call {})", *evidence.call);
  if (evidence.strength.has_rivals) return text + ", which matches several modules";
  if (evidence.strength.reading == NameReading::uncorroborated)
    text += ", and no other evidence names that module";
  if (evidence.strength.reading == NameReading::inferred_call)
    text += ", a call that skips a level or comes from elsewhere";
  if (evidence.strength.reading == NameReading::outer_module)
    text += ", and modules inside that one have no scopes";
  if (evidence.strength.reading == NameReading::same_code)
    text += ", and another instance of the same code has scopes for the modules inside";
  if (evidence.strength.reading == NameReading::other_caller)
    text += ", a call by a module that may have it under another path";
  if (evidence.strength.reading == NameReading::by_weights)
    text += ", another tool's scope that corresponds to this module by its weights";
  if (evidence.strength.reading == NameReading::by_outer_scope)
    text += ", another tool's scope inside one that corresponds to this module";
  if (evidence.strength.reading == NameReading::scope)
    text += ", named by the tool that wrote the file; nothing shows that it is a module";
  if (evidence.strength.reading == NameReading::foreign) text += ", written by another framework";
  return text;
}

// Describes the evidence in words.
std::string describe_evidence(const Evidence& evidence) {
  const std::string why = base::printable(evidence.why);
  switch (evidence.source) {
    case Source::tags: return "tagged by thence, and unchanged since";
    case Source::transferred: return describe_transfer(evidence.strength, why);
    case Source::dynamo_metadata: return describe_metadata(evidence.strength, why);
    case Source::onnx_scope_parsing:
    case Source::value_names: return describe_scope(evidence, why);
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

std::vector<Neighbour> neighbours(const Map& map, const dataflow::Uses& uses, onnx::NodeId id) {
  std::vector<Neighbour> found;
  const onnx::Model& model = map.model();
  for (const onnx::ValueId value : model.node(id).inputs()) {
    if (value == onnx::none) continue;
    const onnx::Producer producer = model.producer(value);
    if (producer.kind == onnx::Producer::Kind::node && found.size() < max_shown_neighbours)
      found.push_back({"from", producer.index});
  }
  const std::size_t producer_count = found.size();
  const auto add_consumer = [&](onnx::NodeId consumer) {
    const bool is_listed =
        std::any_of(found.begin() + static_cast<std::ptrdiff_t>(producer_count), found.end(),
                    [&](const Neighbour& other) { return other.node == consumer; });
    if (!is_listed) found.push_back({"to", consumer});
    return found.size() < producer_count + max_shown_neighbours;
  };
  for (const onnx::ValueId value : model.node(id).outputs()) {
    if (value == onnx::none) continue;
    const std::span<const onnx::NodeId> consumers = uses.of(value);
    if (!std::all_of(consumers.begin(), consumers.end(), add_consumer)) break;
  }
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

std::string truncate_line(std::string_view text) {
  return base::printable(text.substr(0, max_line_bytes)) + (text.size() > max_line_bytes ? "..." : "");
}

void add_source_lines(const onnx::Node& node, base::Writer& out) {
  const std::vector<Frame> frames = source_lines(node);
  for (std::size_t i = 0; i < frames.size() && i < max_shown_frames; ++i) {
    const Frame& frame = frames[i];
    add_line(
        out, i == 0 ? "source" : "",
        base::format("{}:{} in {}", truncate_line(frame.file), frame.line, truncate_line(frame.function)));
    if (!frame.code.empty()) add_line(out, "", "    " + truncate_line(frame.code));
  }
  if (frames.size() > max_shown_frames)
    add_line(out, "", base::format("and {} more frames around it", frames.size() - max_shown_frames));
}

// The known shapes of inputs and outputs, and the work of the node.
void add_shapes(const onnx::Node& node, const shapes::InferredShapes& inferred, base::Writer& out) {
  const auto list = [&](std::span<const onnx::ValueId> values) {
    std::string text;
    for (std::size_t i = 0; i < values.size() && i < max_shown_shapes; ++i)
      text += (i > 0 ? " " : "") + (values[i] == onnx::none
                                        ? std::string("-")
                                        : shapes::text_of(inferred.values.shape(values[i]), inferred.sizes));
    return values.size() > max_shown_shapes ? text + " ..." : text;
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

void write_module_path(const modules::ModuleTree& tree, modules::ModuleId module, base::JsonWriter& json) {
  json.key<"module">();
  module == no_module ? json.null() : json.value(tree[module].path);
}

void write_evidence(const Map& map, onnx::NodeId id, const Evidence& e, base::JsonWriter& json) {
  json.begin_object();
  json.member<"source">(evidence::name_of(e.source));
  write_module_path(map.own_tree(), e.module, json);
  json.key<"call">();
  e.call ? json.value(*e.call) : json.null();
  json.member<"strength">(evidence::name_of(e.strength));
  json.member<"accepted">(is_accepted(map, id, e));
  json.member<"why">(describe_evidence(e));
  json.end_object();
}

void write_neighbours(const Map& map, const dataflow::Uses& uses, onnx::NodeId id, base::JsonWriter& json) {
  json.begin_array<"neighbours">();
  for (const Neighbour& neighbour : neighbours(map, uses, id)) {
    const onnx::Node other = map.model().node(neighbour.node);
    json.begin_object();
    json.member<"side">(neighbour.side);
    json.member<"graph">(map.model().graph_label(other.graph()));
    json.member<"index">(other.index());
    json.member<"op_type">(other.op_type());
    write_module_path(map.tree(), map.answer(neighbour.node).module, json);
    json.end_object();
  }
  json.end_array();
}

void add_module(const Map& map, const resolve::Attribution& answer, base::Writer& out) {
  if (!answer.known()) {
    add_line(out, "module", "unknown");
    add_line(out, "because", resolve::text_of(answer.reason));
    return;
  }
  const semantics::ModuleFacts facts = map.facts(answer.module);
  add_line(out, "module",
           base::format("{}   {}", path_or_root(map, answer.module), class_text(map, answer.module, facts)));
  if (map.is_scope(answer.module))
    add_line(out, "kind", "scope of the tool that wrote the file, which need not be a module");
  if (!facts.tag.empty()) add_line(out, "tag", base::printable(facts.tag));
  std::string role(facts.role.type);
  if (!facts.role.component.empty()) role += (role.empty() ? "" : " · ") + std::string(facts.role.component);
  for (const modules::LayerStep& step : facts.layers)
    role += base::format("{}{} {}", role.empty() ? "" : " · ", base::printable(step.container), step.index);
  if (!role.empty()) add_line(out, "role", role);
  add_line(out, "confidence", base::format("{:.4g} {}", answer.confidence, semantics::level_of(answer)));
}

// The other modules of the node, each with its reason.
void add_other_modules(const Map& map, onnx::NodeId id, base::Writer& out) {
  const resolve::Attribution& answer = map.answer(id);
  const modules::ModuleId own = map.own_answer(id).module;
  if (map.module_view() != nullptr && answer.known() &&
      map.module_view()->view.originals[answer.module] != own)
    add_line(out, "shown for", path_or_root(map.own_tree(), own));
  const auto modules = map.modules_of(id);
  if (modules.size() > 1)
    for (std::size_t i = 0; i < modules.size(); ++i)
      add_line(out, i == 0 ? "modules" : "", path_or_root(map, modules[i]));
  if (answer.weight_owner != no_module) add_line(out, "weight of", path_or_root(map, answer.weight_owner));
}

void add_accepted(const Map& map, onnx::NodeId id, const std::vector<Evidence>& all, base::Writer& out) {
  const resolve::Attribution& answer = map.answer(id);
  if (answer.known() && answer.is_inferred)
    add_line(out, "because",
             base::format("{:<18} no direct evidence; decided by the nodes it is connected to",
                          evidence::name_of(answer.source)));
  bool first = !answer.is_inferred;
  for (const Evidence& e : all)
    if (is_accepted(map, id, e)) {
      add_line(out, first ? "because" : "",
               base::format("{:<18} {}", evidence::name_of(e.source), describe_evidence(e)));
      first = false;
    }
}

void add_other_evidence(const Map& map, onnx::NodeId id, const std::vector<Evidence>& all,
                        base::Writer& out) {
  const auto modules = map.modules_of(id);
  std::string_view last;
  for (const Evidence& e : all)
    if (!is_accepted(map, id, e)) {
      const bool served = e.module != no_module &&
                          std::find(modules.begin(), modules.end(), map.shown_as(e.module)) != modules.end();
      const std::string_view label = !map.answer(id).known() ? "rivals" : served ? "as well" : "rejected";
      add_line(out, label == last ? "" : label,
               base::format("{:<18} {}: {}", evidence::name_of(e.source),
                            path_or_root(map.own_tree(), e.module), describe_evidence(e)));
      last = label;
    }
}

void add_neighbours(const Map& map, const dataflow::Uses& uses, onnx::NodeId id, base::Writer& out) {
  bool first = true;
  for (const Neighbour& neighbour : neighbours(map, uses, id)) {
    const resolve::Attribution& other = map.answer(neighbour.node);
    add_line(out, first ? "neighbours" : "",
             base::format("{:<5} {:<24} {}", neighbour.side,
                          base::printable(map.model().node(neighbour.node).op_type()),
                          other.known() ? path_or_root(map, other.module)
                                        : base::format("unknown ({})", resolve::name_of(other.reason))));
    first = false;
  }
}

}  // namespace

void write_explanation(const Map& map, const shapes::InferredShapes& inferred, const dataflow::Uses& uses,
                       onnx::NodeId id, bool colour, base::Writer& out) {
  const std::vector<Evidence> all = resolve::evidence_of(map.evidence(), id);
  out.add(base::format("{}{}{}\n", colour ? bold : "", node_title(map, id), colour ? plain : ""));
  add_module(map, map.answer(id), out);
  add_other_modules(map, id, out);
  add_accepted(map, id, all, out);
  add_other_evidence(map, id, all, out);
  const resolve::DecisionRule rule = map.own_answer(id).rule;
  add_line(out, "rule", base::format("{:<18} {}", resolve::name_of(rule), resolve::text_of(rule)));
  add_shapes(map.model().node(id), inferred, out);
  add_source_lines(map.model().node(id), out);
  add_neighbours(map, uses, id, out);
  out.flush();
}

void write_explanation_json(const Map& map, const shapes::InferredShapes& inferred,
                            const dataflow::Uses& uses, onnx::NodeId id, base::Writer& out) {
  const resolve::Attribution& answer = map.answer(id);
  const onnx::Node node = map.model().node(id);
  base::JsonWriter json(out.buffer());
  json.begin_object();
  json.member<"schema">("thence.explanation/1");
  json.member<"graph">(map.model().graph_label(node.graph()));
  json.member<"index">(node.index());
  json.member<"name">(node.name());
  json.member<"op_type">(node.op_type());
  write_module_path(map.tree(), answer.module, json);
  json.member_or_null<"module_kind">(map.module_kind(id));
  json.member_or_null<"source">(answer.known() ? evidence::name_of(answer.source) : std::string_view());
  json.real<"confidence">(answer.confidence, 4);
  json.member<"level">(semantics::level_of(answer));
  json.member<"inferred">(bool{answer.is_inferred});
  json.member_or_null<"reason">(map.reason(id));
  const std::vector<Evidence> all = resolve::evidence_of(map.evidence(), id);
  json.member<"rule">(resolve::name_of(map.own_answer(id).rule));
  json.begin_array<"evidence">();
  for (const Evidence& e : all) write_evidence(map, id, e, json);
  json.end_array();
  write_neighbours(map, uses, id, json);
  write_shapes(json, node, inferred);
  write_source_lines(json, node);
  json.end_object();
  out.add("\n");
  out.flush();
}

}  // namespace thence::output
