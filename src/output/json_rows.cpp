#include "output/json_rows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "output/node_names.h"
#include "output/ordered_pieces.h"

namespace thence::output {
namespace {

using base::JsonWriter;
using modules::ModuleId;
using modules::no_module;
using semantics::Map;

void write_path(const modules::ModuleTree& tree, ModuleId module, JsonWriter& json) {
  module == no_module ? json.null() : json.value(tree[module].path);
}

// Writes the rows of nodes. Members common to many nodes (those of a graph, an operator, a module, a verdict)
// are formatted once and copied.
class JsonRows {
 public:
  JsonRows(const Map& map, LayerSteps steps) : map_(map), steps_(steps) {
    if (map.ancestor() != nullptr) ancestor_locations_.emplace(*map.ancestor()->model);
  }

  void append(std::string& out, onnx::NodeId id) {
    const onnx::Node node = map_.model().node(id);
    const resolve::Attribution& answer = map_.answer(id);
    const ModuleMembers& module = members_of(answer.module);
    const std::string_view text = module.text;
    out.append(graph_member(id));
    JsonWriter row(out, JsonWriter::Position::after_item);
    row.member<"index">(id - first_node_);
    row.member<"name">(node.name());
    row.append_members(operator_members(node.op_type(), node.domain()));
    if (answer.module_set == 0 && answer.call() == module.usual_call && answer.weight_owner == no_module) {
      row.append_members(text);
    } else {
      row.append_members(text.substr(0, module.call));
      row.key<"call">();
      answer.call() ? row.value(*answer.call()) : row.null();
      write_modules(row, id);
      row.key<"weight_owner">();
      write_path(map_.tree(), answer.weight_owner, row);
      row.append_members(text.substr(module.hf_module));
    }
    if (map_.ancestor() != nullptr) write_proof(row, id);
    row.append_members(verdict_members(answer, map_.reason(id)));
    row.end_object();
  }

 private:
  // The members of a node that depend on its module, from "module" to "additional_context". The members from
  // `call` to `hf_module` are valid only for a node with a single module, in its usual call, and without
  // weights.
  struct ModuleMembers {
    bool written = false;
    ModuleId module = no_module;
    std::string text;
    std::size_t call = 0, hf_module = 0;  // offsets of these members in `text`
    modules::CallNumber usual_call;       // that `text` has: the first, or none for an unknown module
  };

  // Begins the row.
  const std::string& graph_member(onnx::NodeId id) {
    const auto& graphs = map_.model().graphs();
    const auto past = [&] {
      return graph_ == onnx::none || id >= graphs[graph_].first_node + graphs[graph_].node_count;
    };
    if (past()) {
      while (past()) ++graph_;  // starts from none, which wraps to 0
      first_node_ = graphs[graph_].first_node;
      graph_member_.clear();
      JsonWriter json(graph_member_);
      json.begin_object();
      json.member<"graph">(map_.model().graph_label(graph_));
    }
    return graph_member_;
  }

  // Operator names are interned: equal text has the same address.
  const std::string& operator_members(std::string_view op_type, std::string_view domain) {
    Operator& kept = operators_[(reinterpret_cast<std::uintptr_t>(op_type.data()) >> 3) % operators_.size()];
    if (kept.text.empty() || kept.op_type != op_type.data() || kept.domain != domain.data()) {
      kept = {op_type.data(), domain.data(), {}};
      JsonWriter json(kept.text, JsonWriter::Position::after_item);
      json.member<"op_type">(op_type);
      json.member<"domain">(domain);
    }
    return kept.text;
  }

  void write_modules(JsonWriter& row, onnx::NodeId id) const {
    row.begin_array<"modules">();
    for (const ModuleId module : map_.modules_of(id)) row.value(map_.tree()[module].path);
    row.end_array();
  }

  // The proof of a match with nodes of the ancestor, if the answer rests on one.
  void write_proof(JsonWriter& row, onnx::NodeId id) {
    const evidence::AncestorAnswers& ancestor = *map_.ancestor();
    const bool is_proven = map_.own_answer(id).source == evidence::Source::transferred;
    row.member_or_null<"proof">(is_proven ? evidence::name_of(ancestor.answers[id].strength)
                                          : std::string_view());
    row.begin_array<"ancestor">();
    for (const onnx::NodeId node : ancestor.nodes_of(id)) row.value(ancestor_locations_->of(node));
    row.end_array();
  }

  // Confidences come from a short table, so there are few combinations.
  const std::string& verdict_members(const resolve::Attribution& answer, std::string_view reason) {
    const Verdict verdict{answer.source, answer.confidence, reason.data()};
    if (verdict_text_ != nullptr && verdict == verdict_) return *verdict_text_;
    verdict_ = verdict;
    std::string& text = verdicts_[verdict];
    verdict_text_ = &text;
    if (!text.empty()) return text;
    JsonWriter json(text, JsonWriter::Position::after_item);
    if (answer.known()) {
      json.member<"source">(evidence::name_of(answer.source));
      json.real<"confidence">(answer.confidence, 4);
    } else {
      json.null<"source">();
      json.member<"confidence">(0);
    }
    json.member<"level">(semantics::level_of(answer));
    json.member_or_null<"reason">(reason);
    return text;
  }

  const ModuleMembers& members_of(ModuleId module) {
    ModuleMembers& members = modules_[module % modules_.size()];
    if (members.written && members.module == module) return members;
    members.written = true;
    members.module = module;
    members.text.clear();
    if (module == no_module)
      write_unknown(members);
    else
      write_known(members);
    return members;
  }

  void write_unknown(ModuleMembers& members) const {
    JsonWriter json(members.text, JsonWriter::Position::after_item);
    json.null<"module">();
    json.null<"module_class">();
    json.null<"module_kind">();
    members.call = members.text.size();
    members.usual_call.reset();
    json.null<"call">();
    json.begin_array<"modules">();
    json.end_array();
    json.null<"weight_owner">();
    members.hf_module = members.text.size();
    json.null<"hf_module">();
    json.null<"hf_module_class">();
    json.member_or_null<"tag">(map_.tag_of_unknown());
    json.null<"semantic_type">();
    json.null<"component">();
    write_layers(json, {}, steps_);
    json.begin_object<"additional_context">();
    json.null<"module_class">();
    json.null<"semantic_classification">();
    json.null<"scope_path">();
    json.end_object();
  }

  void write_known(ModuleMembers& members) {
    map_.read_facts(members.module, roles_, facts_);
    const modules::ModuleTree& tree = map_.tree();
    const modules::Module& module = tree[members.module];
    const std::string_view hf_class =
        facts_.hf_module == no_module ? std::string_view() : tree[facts_.hf_module].class_name;
    JsonWriter json(members.text, JsonWriter::Position::after_item);
    json.member<"module">(module.path);
    json.member_or_null<"module_class">(module.class_name);
    json.member<"module_kind">(std::string_view(map_.is_scope(members.module) ? "scope" : "module"));
    members.call = members.text.size();
    members.usual_call = 0;
    json.member<"call">(0);
    json.begin_array<"modules">();
    json.value(module.path);
    json.end_array();
    json.null<"weight_owner">();
    members.hf_module = members.text.size();
    json.key<"hf_module">();
    write_path(tree, facts_.hf_module, json);
    json.member_or_null<"hf_module_class">(hf_class);
    json.member_or_null<"tag">(facts_.tag);
    json.member_or_null<"semantic_type">(facts_.role.type);
    json.member_or_null<"component">(facts_.role.component);
    write_layers(json, facts_.layers, steps_);
    json.begin_object<"additional_context">();
    json.member_or_null<"module_class">(modules::short_class(hf_class));
    json.member_or_null<"semantic_classification">(facts_.role.classification);
    json.member<"scope_path">(facts_.scope_path);
    json.end_object();
  }

  const Map& map_;
  LayerSteps steps_;
  std::optional<NodeLocations> ancestor_locations_;  // if there is an ancestor
  onnx::GraphId graph_ = onnx::none;
  onnx::NodeId first_node_ = 0;
  std::string graph_member_;
  std::array<ModuleMembers, 256> modules_;  // the last ones, because nodes of one module are near each other
  semantics::RoleReader roles_;
  semantics::ModuleFacts facts_;
  struct Operator {
    const char* op_type = nullptr;
    const char* domain = nullptr;
    std::string text;
  };
  std::array<Operator, 128> operators_;  // the last ones
  using Verdict = std::tuple<evidence::Source, float, const char*>;
  std::map<Verdict, std::string> verdicts_;
  Verdict verdict_;
  const std::string* verdict_text_ = nullptr;  // of the last verdict
};

}  // namespace

void write_json_rows(const Map& map, const Nodes& nodes, unsigned jobs, RowLayout layout, LayerSteps steps,
                     base::Writer& out) {
  constexpr std::size_t rows_per_piece = 512;
  const std::size_t count = nodes.size();
  write_pieces_in_order((count + rows_per_piece - 1) / rows_per_piece, jobs, out, [&] {
    return [&, rows = std::make_shared<JsonRows>(map, steps)](std::size_t piece, std::string& text) {
      const std::size_t first = piece * rows_per_piece, past = std::min(count, first + rows_per_piece);
      for (std::size_t row = first; row < past; ++row) {
        if (layout == RowLayout::array) text.append(row == 0 ? "\n" : ",\n");
        rows->append(text, nodes[row]);
        if (layout == RowLayout::lines) text.push_back('\n');
      }
    };
  });
}

}  // namespace thence::output
