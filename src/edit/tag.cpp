#include "edit/tag.h"

#include <algorithm>
#include <future>
#include <unordered_map>
#include <vector>

#include "base/cut_file.h"
#include "base/format.h"
#include "edit/limits.h"
#include "hierarchy/fingerprint.h"
#include "onnx/layout.h"

namespace thence::edit {
namespace {

using semantics::Map;

const Entries no_entries{static_cast<std::uint32_t>(onnx::NodeField::metadata_props)};

// Keeps the answer and evidence that an earlier run wrote into the node. With rules, the fields that depend
// on rules are written again.
void copy_tag_entries(const onnx::Node& node, bool with_rules, Entries& entries) {
  node.for_each_metadata([&](const onnx::MetadataEntry& entry) {
    if (!is_tag_entry(entry)) return;
    const std::string_view key = entry.key.substr(key_prefix.size());
    if (!with_rules || (key != "tag" && key != "hf_module" && key != "role")) entries.add(key, entry.value);
  });
}

// Whether the node has a namespace that an earlier run did not add.
bool has_namespace(const onnx::Node& node) {
  bool any = false, added = false;
  node.for_each_metadata([&](const onnx::MetadataEntry& entry) {
    any |= entry.key == "namespace";
    added |= entry.key == added_key;
  });
  return any && !added;
}

// In the format of PyTorch: the path and class of each module from the root inwards, then the operator.
std::string namespace_of(const Map& map, onnx::NodeId id) {
  const modules::ModuleTree& tree = map.own_tree();
  std::string text;
  for (modules::ModuleId module = map.own_answer(id).module; module != modules::no_module;
       module = tree[module].parent)
    text.insert(0, base::format("{}: {}/", tree[module].path, tree[module].class_name));
  const onnx::Node node = map.model().node(id);
  return text.append(base::format("{}: {}", node.name(), node.op_type()));
}

// Adds the fields of a module other than its path and class.
void add_role_entries(const Map& map, const semantics::ModuleFacts& facts, Entries& entries) {
  entries.add_if("tag", facts.tag);
  if (facts.hf_module != modules::no_module) entries.add("hf_module", map.tree()[facts.hf_module].path);
  std::string role(facts.role.type);
  if (!facts.role.component.empty()) role.append(role.empty() ? "" : " ").append(facts.role.component);
  entries.add_if("role", role);
}

// Adds the modules of a fused or shared node, and what each does in a fused one.
void add_members(const Map& map, onnx::NodeId id, Entries& entries) {
  const std::vector<modules::ModuleId> members = map.own_modules_of(id);
  if (members.size() < 2) return;
  const std::vector<evidence::Part>* const known = map.own_parts_of(id);
  std::string paths, parts;
  for (std::size_t i = 0; i < members.size(); ++i) {
    paths.append(i == 0 ? "" : " ").append(hierarchy::escape_path(map.own_tree()[members[i]].path));
    if (known != nullptr && i < known->size())
      parts.append(i == 0 ? "primary+" : " ").append(evidence::name_of((*known)[i]));
  }
  entries.add("modules", paths);
  if (known != nullptr && known->size() >= members.size()) entries.add("parts", parts);
}

// Makes the entries of nodes. The entries for a module are made once per module.
class Tagger {
 public:
  Tagger(const Map& map, const TagOptions& options, const std::string& unknown_tag)
      : map_(map), options_(options), unknown_tag_(unknown_tag) {}

  void add_entries(onnx::NodeId id, Entries& entries) {
    add_answer(id, entries);
    if (options_.with_namespace && map_.answer(id).known() && !has_namespace(map_.model().node(id)))
      entries.add_unprefixed("namespace", namespace_of(map_, id));
  }

 private:
  // An unknown node gets no entries, or only the tag that the strategy has for such nodes. Without a module
  // it is not read as evidence later.
  void add_answer(onnx::NodeId id, Entries& entries) {
    const resolve::Attribution& answer = map_.own_answer(id);
    if (!answer.known()) return entries.add_if("tag", unknown_tag_);
    if (answer.source == evidence::Source::tags) {
      copy_tag_entries(map_.model().node(id), map_.module_view() != nullptr, entries);
      if (map_.module_view() != nullptr) {
        map_.read_facts(map_.answer(id).module, roles_, facts_);
        add_role_entries(map_, facts_, entries);
      }
      return;
    }
    entries.add(of_module(answer.module).text());
    if (map_.own_tree()[answer.module].is_scope) entries.add("module_kind", "scope");
    if (const modules::CallNumber call = answer.call()) entries.add("call", std::to_string(*call));
    if (answer.weight_owner != modules::no_module)
      entries.add("weight_owner", map_.own_tree()[answer.weight_owner].path);
    add_members(map_, id, entries);
    entries.add(of_evidence(answer).text());
    entries.add("fingerprint", hierarchy::Fingerprint(map_.model(), id).text());
  }

  const Entries& of_module(modules::ModuleId module) {
    if (const auto found = modules_.find(module); found != modules_.end()) return found->second;
    if (modules_.size() == max_cached_modules) modules_.clear();
    Entries& entries = modules_.emplace(module, no_entries).first->second;
    map_.read_facts(map_.shown_as(module), roles_, facts_);
    add_module(map_, module, facts_, entries);
    return entries;
  }

  // Mostly the same as for the previous node.
  const Entries& of_evidence(const resolve::Attribution& answer) {
    if (answer.confidence != confidence_ || answer.source != source_) {
      confidence_ = answer.confidence;
      source_ = answer.source;
      evidence_.clear();
      evidence_.add("confidence", base::format("{:.4g}", confidence_));
      evidence_.add("source", evidence::name_of(source_));
    }
    return evidence_;
  }

  const Map& map_;
  const TagOptions& options_;
  const std::string& unknown_tag_;
  semantics::RoleReader roles_;
  semantics::ModuleFacts facts_;
  std::unordered_map<modules::ModuleId, Entries> modules_;
  double confidence_ = -1;
  evidence::Source source_{};
  Entries evidence_ = no_entries;
};

// The entries of all nodes, made on several threads, each for a range of nodes.
class EncodedEntries {
 public:
  EncodedEntries(const Map& map, const TagOptions& options, const std::string& unknown_tag) {
    const std::size_t nodes = map.model().node_count();
    const std::size_t threads =
        std::clamp<std::size_t>(nodes / min_nodes_per_thread, 1, std::max(options.jobs, 1U));
    length_ = nodes / threads + 1;
    ranges_.resize(threads);
    std::vector<std::future<void>> others;
    const auto make = [&, cut = base::current_cut_file()](std::size_t number) {
      const base::CutFileGuard guard(cut);
      NodeRange& range = ranges_[number];
      Tagger tagger(map, options, unknown_tag);
      range.ends.reserve(length_);
      range.entries.reserve(length_ * typical_entry_bytes);
      for (std::size_t id = number * length_; id < std::min(nodes, (number + 1) * length_); ++id) {
        tagger.add_entries(static_cast<onnx::NodeId>(id), range.entries);
        range.ends.push_back(range.entries.text().size());
      }
    };
    for (std::size_t number = 1; number < threads; ++number)  // deferred if no thread can be started
      others.push_back(std::async(std::launch::async | std::launch::deferred, make, number));
    make(0);
    for (std::future<void>& other : others) other.get();
  }

  std::string_view of(onnx::NodeId id) const {
    const NodeRange& range = ranges_[id / length_];
    const std::size_t place = id % length_, start = place == 0 ? 0 : range.ends[place - 1];
    return std::string_view(range.entries.text()).substr(start, range.ends[place] - start);
  }

 private:
  struct NodeRange {
    Entries entries = no_entries;
    std::vector<std::size_t> ends;  // the end of each node's entries
  };
  std::size_t length_ = 0;  // nodes per range
  std::vector<NodeRange> ranges_;
};

}  // namespace

// The path and the class are read as evidence later, so they are those of the model. The other fields follow
// the rules.
void add_module(const Map& map, modules::ModuleId module, const semantics::ModuleFacts& facts,
                Entries& entries) {
  entries.add("module", map.own_tree()[module].path);
  entries.add_if("class", map.own_tree()[module].class_name);
  add_role_entries(map, facts, entries);
}

wire::Splice tag_model(const Map& map, const TagOptions& options) {
  const onnx::Model& model = map.model();
  Additions additions;
  additions.record.emplace_back("version", THENCE_VERSION);
  additions.record.emplace_back("strategy", map.strategy().name);
  if (!options.capture_digest.empty()) additions.record.emplace_back("capture", options.capture_digest);
  if (std::string kept = model_record(map, options.weights); !kept.empty())
    additions.record.emplace_back("hierarchy", std::move(kept));
  const std::string unknown_tag = map.tag_of_unknown();
  for (onnx::NodeId id = 0; id < model.node_count() && !additions.any_node; ++id)
    additions.any_node = map.answer(id).known() || !unknown_tag.empty();
  additions.drop_stack_traces = options.strip_stack_traces;
  const auto all = std::make_shared<const EncodedEntries>(map, options, unknown_tag);
  additions.node = [&](onnx::NodeId id) { return all->of(id); };
  additions.owner = all;
  return add_entries(model, additions);
}

}  // namespace thence::edit
