// A map as JSON. What is said of a module is the same for all its nodes, so it is put into words once and
// copied.

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "base/format.h"
#include "output/formats.h"
#include "output/in_order.h"
#include "output/json_text.h"
#include "output/layer_json.h"
#include "output/node_names.h"
#include "output/other_formats.h"
#include "output/verification.h"

namespace thence::output {
namespace {

using namespace std::string_view_literals;

using modules::ModuleId;
using modules::no_module;
using semantics::Map;

void append_path(const modules::ModuleTree& tree, ModuleId module, std::string& out) {
  if (module == no_module)
    out.append("null"sv);
  else
    append_json_string(out, tree[module].path);
}

class Rows {
 public:
  Rows(const Map& map, LayerSteps steps) : map_(map), steps_(steps) {
    if (map.lent() != nullptr) ancestors_.emplace(*map.lent()->ancestor);
  }

  void append(std::string& out, onnx::NodeId id) {
    const onnx::Node node = map_.model().node(id);
    const resolve::Attribution& answer = map_.answer(id);
    const Words& words = words_of(answer.module);
    const std::string_view text = words.text;
    out.append(graph_text(id));
    append_number(out, id - first_node_);
    out.append(R"(,"name":)"sv);
    append_json_string(out, node.name());
    out.append(operator_text(node.op_type(), node.domain()));
    if (answer.set == 0 && answer.call == 0 && answer.weight_owner == no_module) {
      out.append(text);
    } else {
      out.append(text.substr(0, words.plain));
      append_number(out, answer.call);
      out.append(R"(,"modules":[)"sv);
      append_modules(out, id);
      out.append(R"(],"weight_owner":)"sv);
      append_path(out, answer.weight_owner);
      out.append(text.substr(words.tail));
    }
    if (map_.lent() != nullptr) append_proof(out, id);
    out.append(verdict_text(answer, map_.reason(id)));
  }

  void append_path(std::string& out, ModuleId module) const { output::append_path(map_.tree(), module, out); }

 private:
  // What is said of a node because of its module, from "module" to just before "source".
  struct Words {
    bool made = false;
    ModuleId module = no_module;
    std::string text;
    std::size_t plain = 0;  // where the call's number begins, up to "weight_owner": what is written here is
                            // true for a node that serves its module only, without weights
    std::size_t tail = 0;   // where "hf_module" begins
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
    Operator& kept = operators_[(reinterpret_cast<std::uintptr_t>(op_type.data()) >> 3) % operators_.size()];
    if (kept.text.empty() || kept.op_type != op_type.data() || kept.domain != domain.data()) {
      kept = {op_type.data(), domain.data(), R"(,"op_type":)"};
      append_json_string(kept.text, op_type);
      kept.text += R"(,"domain":)";
      append_json_string(kept.text, domain);
    }
    return kept.text;
  }

  void append_modules(std::string& out, onnx::NodeId id) const {
    bool first = true;
    for (const ModuleId module : map_.modules_of(id)) {
      if (!first) out.push_back(',');
      first = false;
      append_path(out, module);
    }
  }

  // How a node is proven to come of which nodes of the ancestor.
  void append_proof(std::string& out, onnx::NodeId id) {
    const resolve::Lent& lent = *map_.lent();
    out.append(R"("proof":)"sv);
    append_json_string_or_null(
        out, map_.own_answer(id).known() ? evidence::name_of(lent.answers[id].strength) : std::string_view());
    out.append(R"(,"ancestor":[)"sv);
    bool first = true;
    for (const onnx::NodeId node : lent.nodes_of(id)) {
      if (!first) out.push_back(',');
      first = false;
      append_json_string(out, ancestors_->of(node));
    }
    out.append("],"sv);
  }

  // Confidences come from a short table: each combination is put into words once.
  const std::string& verdict_text(const resolve::Attribution& answer, std::string_view reason) {
    const Verdict verdict{answer.source, answer.confidence, reason.data()};
    if (verdict_text_ != nullptr && verdict == verdict_) return *verdict_text_;
    verdict_ = verdict;
    std::string& text = verdicts_[verdict];
    verdict_text_ = &text;
    if (!text.empty()) return text;
    text = answer.known() ? base::format(R"("source":"{}","confidence":{:.4g},"level":"{}")",
                                         evidence::name_of(answer.source), answer.confidence,
                                         semantics::level_of(answer))
                          : R"("source":null,"confidence":0,"level":"none")";
    text += R"(,"reason":)";
    append_json_string_or_null(text, reason);
    text.push_back('}');
    return text;
  }

  const Words& words_of(ModuleId module) {
    Words& words = words_[module % words_.size()];
    if (words.made && words.module == module) return words;
    words.made = true;
    words.module = module;
    words.text.clear();
    if (module == no_module)
      say_unknown(words);
    else
      say(words, module);
    return words;
  }

  void say_unknown(Words& words) const {
    words.text.append(R"(,"module":null,"module_class":null,"call":)"sv);
    words.plain = words.text.size();
    words.text.append(R"(0,"modules":[],"weight_owner":null)"sv);
    words.tail = words.text.size();
    words.text.append(R"(,"hf_module":null,"hf_module_class":null,"tag":)"sv);
    append_json_string_or_null(words.text, map_.tag_of_unknown());
    words.text.append(
        R"(,"semantic_type":null,"component":null,"layer_id":null,)"
        R"("layer_path":[],"additional_context":{"module_class":null,"semantic_classification":null,"scope_path":null},)"sv);
  }

  void say(Words& words, ModuleId module) {
    map_.read_facts(module, roles_, facts_);
    const modules::ModuleTree& tree = map_.tree();
    const std::string_view hf_class =
        facts_.hf_module == no_module ? std::string_view() : tree[facts_.hf_module].class_name;
    std::string& text = words.text;
    text.append(R"(,"module":)"sv);
    append_path(text, module);
    text.append(R"(,"module_class":)"sv);
    append_json_string_or_null(text, tree[module].class_name);
    text.append(R"(,"call":)"sv);
    words.plain = text.size();
    text.append(R"(0,"modules":[)"sv);
    append_path(text, module);
    text.append(R"(],"weight_owner":null)"sv);
    words.tail = text.size();
    text.append(R"(,"hf_module":)"sv);
    append_path(text, facts_.hf_module);
    text.append(R"(,"hf_module_class":)"sv);
    append_json_string_or_null(text, hf_class);
    text.append(R"(,"tag":)"sv);
    append_json_string_or_null(text, facts_.tag);
    text.append(R"(,"semantic_type":)"sv);
    append_json_string_or_null(text, facts_.role.type);
    text.append(R"(,"component":)"sv);
    append_json_string_or_null(text, facts_.role.component);
    text.push_back(',');
    append_layers(text, facts_.layers, steps_);
    text.append(R"(,"additional_context":{"module_class":)"sv);
    append_json_string_or_null(text, modules::short_class(hf_class));
    text.append(R"(,"semantic_classification":)"sv);
    append_json_string_or_null(text, facts_.role.classification);
    text.append(R"(,"scope_path":)"sv);
    append_json_string(text, facts_.scope_path);
    text.append("},"sv);
  }

  const Map& map_;
  LayerSteps steps_;
  std::optional<Places> ancestors_;  // where an ancestor lent answers
  onnx::GraphId graph_ = onnx::none;
  onnx::NodeId first_node_ = 0;
  std::string graph_text_;
  std::array<Words, 256> words_;  // of the modules met last; nodes of one module lie near each other
  semantics::RoleReader roles_;
  semantics::ModuleFacts facts_;
  struct Operator {
    const char* op_type = nullptr;
    const char* domain = nullptr;
    std::string text;
  };
  std::array<Operator, 128> operators_;  // those met last
  using Verdict = std::tuple<evidence::Source, float, const char*>;
  std::map<Verdict, std::string> verdicts_;
  Verdict verdict_;
  const std::string* verdict_text_ = nullptr;  // of the last one
};

// The nodes' rows, some hundreds a piece.
void write_rows(const Map& map, const Nodes& nodes, unsigned jobs, std::string_view separator,
                base::Writer& out, LayerSteps steps = LayerSteps::pairs) {
  constexpr std::size_t rows_a_piece = 512;
  const std::size_t count = nodes.size();
  write_in_order((count + rows_a_piece - 1) / rows_a_piece, jobs, out, [&] {
    return [&, rows = std::make_shared<Rows>(map, steps)](std::size_t piece, std::string& text) {
      const std::size_t first = piece * rows_a_piece, past = std::min(count, first + rows_a_piece);
      for (std::size_t row = first; row < past; ++row) {
        if (row > 0) text.append(separator);
        rows->append(text, nodes[row]);
      }
    };
  });
}

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
  base::append_format(out, R"(,"ir_version":{},"opset":)", model.ir_version());
  std::int64_t opset = -1;
  for (const onnx::Opset& import : model.opsets())
    if (import.domain.empty() || import.domain == "ai.onnx") opset = import.version;
  out += opset < 0 ? "null" : std::to_string(opset);
  out += "},\n";
}

void append_module(const Map& map, ModuleId id, std::string& out) {
  const modules::Module& module = map.tree()[id];
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

void append_initializer(const Map& map, const semantics::InitializerRow& row, std::string& out) {
  out += R"({"name":)";
  append_json_string(out, row.name);
  out += R"(,"module":)";
  append_path(map.tree(), row.module, out);
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
  base::append_format(out, R"("summary":{{"nodes":{},"direct":{},"inferred":{},"unknown":{},"by_source":{{)",
                      summary.nodes, summary.direct, summary.inferred, summary.unknown);
  bool first = true;
  for (std::size_t i = 0; i < evidence::source_count; ++i) {
    if (summary.by_source[i] == 0) continue;
    base::append_format(out, R"({}"{}":{})", first ? "" : ",",
                        evidence::name_of(static_cast<evidence::Source>(i)), summary.by_source[i]);
    first = false;
  }
  base::append_format(out, R"(}},"modules":{{"all":{},"executed":{}}}}},)", summary.modules,
                      summary.executed);
  out += '\n';
  append_verification_json(map, out);
  out += "\"diagnostics\":[";
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

void write_map_json(const Map& map, unsigned jobs, base::Writer& out) {
  std::string& text = out.buffer();
  append_header(map, text);
  text += "\"modules\":[";
  constexpr std::size_t modules_a_piece = 2048;
  const std::size_t modules = map.tree().size();
  write_in_order((modules + modules_a_piece - 1) / modules_a_piece, jobs, out, [&]() -> MakePiece {
    return [&](std::size_t piece, std::string& words) {
      const std::size_t past = std::min(modules, (piece + 1) * modules_a_piece);
      for (std::size_t id = piece * modules_a_piece; id < past; ++id) {
        words.append(id == 0 ? "\n"sv : ",\n"sv);
        append_module(map, static_cast<ModuleId>(id), words);
      }
    };
  });
  text += map.model().node_count() > 0 ? "],\n\"nodes\":[\n" : "],\n\"nodes\":[";
  write_rows(map, Nodes(map.model()), jobs, ",\n", out);
  text += "],\n\"initializers\":[";
  bool first = true;
  for (const semantics::InitializerRow& row : map.initializer_rows()) {
    out.add(first ? "\n" : ",\n");
    first = false;
    append_initializer(map, row, text);
  }
  text += "],\n";
  append_summary(map, text);
  out.flush();
}

void write_map_jsonl(const Map& map, const Nodes& nodes, unsigned jobs, base::Writer& out) {
  write_rows(map, nodes, jobs, "\n", out);
  if (nodes.size() > 0) out.add("\n");
  out.flush();
}

void write_query_json(const Map& map, const Nodes& nodes, unsigned jobs, base::Writer& out) {
  out.add(R"({"schema":"thence.query/1","model":)");
  append_json_string(out.buffer(), map.model().file());
  out.add(",\n\"nodes\":[\n");
  write_rows(map, nodes, jobs, ",\n", out);
  out.add("]}\n");
  out.flush();
}

void write_map_records(const Map& map, unsigned jobs, base::Writer& out) {
  write_rows(map, Nodes(map.model()), jobs, "\n", out, LayerSteps::objects);
  if (map.model().node_count() > 0) out.add("\n");
  out.flush();
}

}  // namespace thence::output
