// A map as JSON. What is said of a module is the same for all its nodes, so it is put into words once and
// copied.
#include <fmt/format.h>

#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>

#include "output/formats.h"
#include "output/json_text.h"

namespace thence::output {
namespace {

using namespace std::string_view_literals;

using hierarchy::ModuleId;
using hierarchy::no_module;
using semantics::Map;

class Rows {
 public:
  explicit Rows(const Map& map) : map_(map) {}

  void append(std::string& out, onnx::NodeId id) {
    const onnx::Node node = map_.model().node(id);
    const resolve::Attribution& answer = map_.answer(id);
    const Words& words = words_of(answer.module);
    out.append(graph_text(id));
    append_number(out, id - first_node_);
    out.append(R"(,"name":)"sv);
    append_json_string(out, node.name());
    out.append(operator_text(node.op_type(), node.domain()));
    out.append(words.head);
    if (answer.set == 0 && answer.call == 0 && answer.weight_owner == no_module) {
      out.append(words.plain);
    } else {
      append_number(out, answer.call);
      out.append(R"(,"modules":[)"sv);
      append_modules(out, id);
      out.append(R"(],"weight_owner":)"sv);
      append_path(out, answer.weight_owner);
    }
    out.append(words.tail);
    out.append(verdict_text(answer, map_.reason(id)));
  }

  void append_path(std::string& out, ModuleId module) const {
    if (module == no_module)
      out.append("null"sv);
    else
      append_json_string(out, map_.tree()[module].path);
  }

 private:
  struct Words {
    std::string head;   // from "module" to "call"
    std::string plain;  // from the call's number to "weight_owner", for a node that serves its module only,
                        // without weights
    std::string tail;   // from "hf_module" to just before "source"
  };

  const std::string& graph_text(onnx::NodeId id) {
    const auto& graphs = map_.model().graphs();
    const auto past = [&] {
      return graph_ == onnx::none || id >= graphs[graph_].first_node + graphs[graph_].node_count;
    };
    if (past()) {
      while (past()) ++graph_;  // from none to 0 at first
      first_node_ = graphs[graph_].first_node;
      graph_text_ = R"({"graph":)";
      append_json_string(graph_text_, map_.model().graph_label(graph_));
      graph_text_ += R"(,"index":)";
    }
    return graph_text_;
  }

  // Names of operators are interned: the same text lies at the same place.
  const std::string& operator_text(std::string_view op_type, std::string_view domain) {
    std::string& text = operators_[{op_type.data(), domain.data()}];
    if (text.empty()) {
      if (operators_.size() > most_operators) operators_.clear();
      std::string& fresh = operators_[{op_type.data(), domain.data()}];
      fresh = R"(,"op_type":)";
      append_json_string(fresh, op_type);
      fresh += R"(,"domain":)";
      append_json_string(fresh, domain);
      return fresh;
    }
    return text;
  }

  void append_modules(std::string& out, onnx::NodeId id) const {
    bool first = true;
    for (const ModuleId module : map_.modules_of(id)) {
      if (!first) out.push_back(',');
      first = false;
      append_path(out, module);
    }
  }

  // Confidences come from a short table: each combination is put into words once.
  const std::string& verdict_text(const resolve::Attribution& answer, std::string_view reason) {
    std::string& text = verdicts_[{answer.source, answer.confidence, reason.data()}];
    if (!text.empty()) return text;
    text = answer.known()
               ? fmt::format(R"("source":"{}","confidence":{:.4g},"level":"{}")",
                             evidence::name_of(answer.source), answer.confidence, semantics::level_of(answer))
               : R"("source":null,"confidence":0,"level":"none")";
    text += R"(,"reason":)";
    append_json_string_or_null(text, reason);
    text.push_back('}');
    return text;
  }

  const Words& words_of(ModuleId module) {
    if (module == last_module_ && last_words_ != nullptr) return *last_words_;
    last_module_ = module;
    if (const auto found = words_.find(module); found != words_.end()) return *(last_words_ = &found->second);
    if (kept_ > most_kept) {
      words_.clear();
      kept_ = 0;
    }
    Words words = module == no_module ? unknown_words() : make_words(module);
    kept_ += words.head.size() + words.plain.size() + words.tail.size() + 160;
    return *(last_words_ = &words_.emplace(module, std::move(words)).first->second);
  }

  static Words unknown_words() {
    return {
        R"(,"module":null,"module_class":null,"call":)", R"(0,"modules":[],"weight_owner":null)",
        R"(,"hf_module":null,"hf_module_class":null,"tag":null,"semantic_type":null,"component":null,"layer_id":null,)"
        R"("layer_path":[],"additional_context":{"module_class":null,"semantic_classification":null,"scope_path":null},)"};
  }

  Words make_words(ModuleId module) const {
    const semantics::ModuleFacts facts = map_.facts(module);
    const hierarchy::ModuleTree& tree = map_.tree();
    const std::string_view hf_class =
        facts.hf_module == no_module ? std::string_view() : tree[facts.hf_module].class_name;
    std::string path;
    append_path(path, module);
    Words words;
    words.head.append(R"(,"module":)"sv).append(path).append(R"(,"module_class":)"sv);
    append_json_string_or_null(words.head, tree[module].class_name);
    words.head.append(R"(,"call":)"sv);
    words.plain.append(R"(0,"modules":[)"sv).append(path).append(R"(],"weight_owner":null)"sv);
    std::string& tail = words.tail;
    tail.reserve(320 + 2 * path.size());
    tail.append(R"(,"hf_module":)"sv);
    append_path(tail, facts.hf_module);
    tail.append(R"(,"hf_module_class":)"sv);
    append_json_string_or_null(tail, hf_class);
    tail.append(R"(,"tag":)"sv);
    append_json_string_or_null(tail, facts.tag);
    tail.append(R"(,"semantic_type":)"sv);
    append_json_string_or_null(tail, facts.role.type);
    tail.append(R"(,"component":)"sv);
    append_json_string_or_null(tail, facts.role.component);
    tail.append(R"(,"layer_id":)"sv);
    if (facts.layers.empty())
      tail.append("null"sv);
    else
      append_number(tail, facts.layers.front().index);
    tail.append(R"(,"layer_path":[)"sv);
    for (std::size_t i = 0; i < facts.layers.size(); ++i) {
      tail.append(i == 0 ? "["sv : ",["sv);
      append_json_string(tail, facts.layers[i].container);
      tail.push_back(',');
      append_number(tail, facts.layers[i].index);
      tail.push_back(']');
    }
    tail.append(R"(],"additional_context":{"module_class":)"sv);
    append_json_string_or_null(tail, hierarchy::short_class(hf_class));
    tail.append(R"(,"semantic_classification":)"sv);
    append_json_string_or_null(tail, facts.role.classification);
    tail.append(R"(,"scope_path":)"sv);
    append_json_string(tail, facts.scope_path);
    tail.append("},"sv);
    return words;
  }

  static constexpr std::size_t most_kept = 4 << 20, most_operators = 4096;
  const Map& map_;
  onnx::GraphId graph_ = onnx::none;
  onnx::NodeId first_node_ = 0;
  std::string graph_text_;
  std::unordered_map<ModuleId, Words> words_;
  std::size_t kept_ = 0;
  ModuleId last_module_ = no_module;
  const Words* last_words_ = nullptr;
  std::map<std::pair<const char*, const char*>, std::string> operators_;
  std::map<std::tuple<evidence::Source, float, const char*>, std::string> verdicts_;
};

void append_header(const Map& map, std::string& out) {
  const onnx::Model& model = map.model();
  out += R"({"schema":"thence.map/1","strategy":)";
  append_json_string(out, map.strategy().name);
  out += R"(,"model":{"file":)";
  append_json_string(out, model.file());
  std::string producer(model.producer_name());
  if (!model.producer_version().empty())
    producer += (producer.empty() ? "" : " ") + std::string(model.producer_version());
  out += R"(,"producer":)";
  append_json_string(out, producer);
  fmt::format_to(std::back_inserter(out), R"(,"ir_version":{},"opset":)", model.ir_version());
  std::int64_t opset = -1;
  for (const onnx::Opset& import : model.opsets())
    if (import.domain.empty() || import.domain == "ai.onnx") opset = import.version;
  out += opset < 0 ? "null" : std::to_string(opset);
  out += "},\n";
}

void append_module(const Map& map, ModuleId id, std::string& out) {
  const hierarchy::Module& module = map.tree()[id];
  out += R"({"path":)";
  append_json_string(out, module.path);
  out += R"(,"class":)";
  append_json_string_or_null(out, module.class_name);
  out += R"(,"aliases":[)";
  for (std::size_t i = 0; i < module.aliases.size(); ++i) {
    if (i > 0) out.push_back(',');
    append_json_string(out, module.aliases[i]);
  }
  out += R"(],"calls":)";
  if (module.calls)
    append_number(out, *module.calls);
  else
    out += "null";
  out.push_back('}');
}

void append_initializer(const Map& map, const semantics::InitializerRow& row, const Rows& rows,
                        std::string& out) {
  out += R"({"name":)";
  append_json_string(out, row.name);
  out += R"(,"module":)";
  rows.append_path(out, row.module);
  out += R"(,"parameter":)";
  append_json_string_or_null(out, row.parameter);
  out += R"(,"modules":[)";
  for (std::size_t i = 0; i < row.modules.size(); ++i) {
    if (i > 0) out.push_back(',');
    append_json_string(out, map.tree()[row.modules[i]].path);
  }
  out += "]}";
}

void append_summary(const Map& map, std::string& out) {
  const semantics::Summary summary = map.summary();
  fmt::format_to(std::back_inserter(out),
                 R"("summary":{{"nodes":{},"direct":{},"inferred":{},"unknown":{},"by_source":{{)",
                 summary.nodes, summary.direct, summary.inferred, summary.unknown);
  bool first = true;
  for (std::size_t i = 0; i < evidence::source_count; ++i) {
    if (summary.by_source[i] == 0) continue;
    fmt::format_to(std::back_inserter(out), R"({}"{}":{})", first ? "" : ",",
                   evidence::name_of(static_cast<evidence::Source>(i)), summary.by_source[i]);
    first = false;
  }
  fmt::format_to(std::back_inserter(out), R"(}},"modules":{{"all":{},"executed":{}}}}},)", summary.modules,
                 summary.executed);
  out += "\n\"diagnostics\":[";
  first = true;
  for (const Diagnostic& diagnostic : map.diagnostics().kept()) {
    out += first ? "\n{\"code\":" : ",\n{\"code\":";
    first = false;
    append_json_string(out, diagnostic.code);
    out += R"(,"where":)";
    append_json_string(out, diagnostic.where);
    out += R"(,"text":)";
    append_json_string(out, diagnostic.text);
    out += "}";
  }
  out += "]}\n";
}

}  // namespace

void write_map_json(const Map& map, base::Writer& out) {
  std::string& text = out.buffer();
  append_header(map, text);
  text += "\"modules\":[";
  for (ModuleId id = 0; id < map.tree().size(); ++id) {
    out.add(id == 0 ? "\n" : ",\n");
    append_module(map, id, text);
  }
  text += "],\n\"nodes\":[";
  Rows rows(map);
  for (onnx::NodeId id = 0; id < map.model().node_count() && out.ok(); ++id) {
    out.add(id == 0 ? "\n" : ",\n");
    rows.append(text, id);
  }
  text += "],\n\"initializers\":[";
  bool first = true;
  for (const semantics::InitializerRow& row : map.initializer_rows()) {
    out.add(first ? "\n" : ",\n");
    first = false;
    append_initializer(map, row, rows, text);
  }
  text += "],\n";
  append_summary(map, text);
  out.flush();
}

void write_map_jsonl(const Map& map, base::Writer& out) {
  Rows rows(map);
  for (onnx::NodeId id = 0; id < map.model().node_count() && out.ok(); ++id) {
    rows.append(out.buffer(), id);
    out.add("\n");
  }
  out.flush();
}

}  // namespace thence::output
