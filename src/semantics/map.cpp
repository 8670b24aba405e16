#include "semantics/map.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "semantics/filtered_note.h"
#include "semantics/scope_note.h"
#include "semantics/thresholds.h"

namespace thence::semantics {
namespace {

using modules::ModuleId;
using modules::no_module;

const std::optional<std::vector<std::string>>& torch_nn_exceptions(const MapOptions& options,
                                                                   const rules::Rules* rules) {
  return options.torch_nn_exceptions || rules == nullptr ? options.torch_nn_exceptions
                                                         : rules->torch_nn_exceptions;
}

void write_scope_path(std::string_view path, std::string& text) {
  // A dot before a name separates two components; one before a number does not.
  text.assign(1, '/').append(path);
  for (std::size_t dot = text.find('.'); dot != std::string::npos; dot = text.find('.', dot + 1)) {
    const std::size_t end = std::min(text.find('.', dot + 1), text.size());
    if (!base::is_digits(std::string_view(text).substr(dot + 1, end - dot - 1))) text[dot] = '/';
  }
}

// The module of an initializer: by its name, else the only module whose nodes read it.
ModuleId owner_of_initializer(ModuleId named, ModuleId consumer, bool has_several_consumers) {
  return named != no_module || has_several_consumers ? named : consumer;
}

// Calls `use` for each initializer that a node with a module reads, and that module.
template <class Use>
void each_read_initializer(const onnx::Model& model, const resolve::Resolution& resolution, Use use) {
  if (model.initializers().empty()) return;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const ModuleId module = resolution.nodes[id].computing_module();
    if (module == no_module) continue;
    for (const onnx::ValueId value : model.node(id).inputs()) {
      if (value == onnx::none) continue;
      const onnx::Producer producer = model.producer(value);
      if (producer.kind == onnx::Producer::Kind::initializer) use(producer.index, module);
    }
  }
}

}  // namespace

std::unique_ptr<modules::ClassFilter> class_filter(const MapOptions& options, const rules::Rules* rules) {
  const auto& exceptions = torch_nn_exceptions(options, rules);
  return std::make_unique<modules::ClassFilter>(exceptions ? modules::ClassFilter(*exceptions)
                                                           : modules::ClassFilter());
}

Result<Map> Map::make(MapParts parts, std::unique_ptr<const rules::Rules> rules, const MapOptions& options) {
  const bool has_default_tags =
      !torch_nn_exceptions(options, rules.get()) && options.tag_format == TagFormat::ordinal;
  Map map(std::move(parts));
  map.shorten_lists();
  if (auto note = filtered_note(map.parts_.resolution, map.own_tree(), *map.parts_.filter))
    map.parts_.diagnostics.add(*std::move(note));
  if (auto note = scope_note(map.parts_.resolution, map.own_tree()))
    map.parts_.diagnostics.add(*std::move(note));
  if (auto error = map.apply_rules(std::move(rules), options)) return *std::move(error);
  map.tags_ = std::make_unique<Tags>(map.tree(), *map.parts_.filter, options.tag_format);
  // A view of all modules uses the same module numbers as the model.
  const bool has_all_modules = !map.view_ || map.view_->granularity == rules::Granularity::as_is;
  if (has_default_tags && has_all_modules) map.written_tags_ = written_tags(map.hierarchy());
  map.report_stale_tags();
  return map;
}

void Map::report_stale_tags() {
  for (const hierarchy::NodeTag& tag : hierarchy().tags())
    if (!tag.is_current)
      parts_.diagnostics.add("T001", [&] {
        return Diagnostic{"T001", Severity::warning, base::format("node {}", tag.node),
                          "its tag is stale: the node changed after it was written; the tag is not used"};
      });
}

// Makes the view if rules or a granularity were given.
std::optional<Error> Map::apply_rules(std::unique_ptr<const rules::Rules> rules, const MapOptions& options) {
  using rules::Granularity;
  if (rules == nullptr && !options.granularity) return std::nullopt;
  const bool from_file = rules != nullptr;
  if (!from_file) rules = std::make_unique<rules::Rules>();
  ModuleView made;
  made.granularity =
      options.granularity.value_or(rules->selects_modules() ? Granularity::custom : Granularity::as_is);
  const bool custom = made.granularity == Granularity::custom;
  if (!own_tree().has_classes() && made.granularity == Granularity::hf)
    return Error{ErrorKind::usage, "U017",
                 base::format("granularity 'hf' needs the classes of modules, which {} does not have",
                              base::printable(model().file())),
                 "give a capture with --capture, or use --granularity nn"};
  if (!own_tree().has_classes() && custom && rules->base == Granularity::hf)
    parts_.diagnostics.add(
        {"R007", Severity::warning, rules->file,
         "granularity hf needs the classes of modules, which are unknown: rules apply to all modules"});
  Result<rules::View> view = rules::make_view(own_tree(), *rules, made.granularity, *parts_.filter);
  if (!view) return view.error();
  made.view = *std::move(view);
  made.resolution = translate(own_tree(), parts_.resolution, made.view);
  if (made.granularity != Granularity::as_is)
    parts_.filter = std::make_unique<modules::ClassFilter>(modules::ClassFilter::all());
  if (from_file)
    parts_.diagnostics.add({"R006", Severity::note, rules->file,
                            base::format("rules are applied: {} modules are reported as {}",
                                         own_tree().size(), made.view.tree.size())});
  made.rules = std::move(rules);
  view_ = std::make_unique<ModuleView>(std::move(made));
  return std::nullopt;
}

// A small file can make many nodes that each belong to many modules. Shorter lists keep the output in
// proportion to the model.
void Map::shorten_lists() {
  const resolve::Resolution& found = parts_.resolution;
  std::vector<std::size_t> lengths(found.module_sets.size());
  for (std::size_t set = 1; set < lengths.size(); ++set)
    for (const ModuleId module : found.module_sets[set]) lengths[set] += own_tree()[module].path.size();
  std::size_t text = 0;
  for (const resolve::Attribution& node : found.nodes)
    text += std::min(lengths[node.module_set], max_listed_);
  if (text > max_total_listed_bytes) max_listed_ = max_listed_bytes_if_long;
}

std::vector<ModuleId> Map::list_modules(const resolve::Resolution& resolution,
                                        const modules::ModuleTree& tree, onnx::NodeId node) const {
  const resolve::Attribution& answer = resolution.nodes[node];
  if (answer.module_set != 0) {
    const std::vector<ModuleId>& set = resolution.module_sets[answer.module_set];
    const std::size_t least = max_listed_ == max_listed_bytes_if_long ? 1 : 2;
    std::size_t text = 0, count = 0;
    while (count < set.size() && (count < least || text < max_listed_))
      text += tree[set[count++]].path.size();
    return {set.begin(), set.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  if (!answer.known()) return {};
  return {answer.module};
}

ModuleId Map::named_owner(std::size_t initializer) const {
  const ModuleId own = hierarchy().parameters()[initializer].module;
  return own == no_module ? own : shown_as(own);
}

const ModuleFacts& Map::facts(ModuleId module) const {
  if (const auto found = facts_->find(module); found != facts_->end()) return found->second;
  if (facts_->size() == max_cached_facts) facts_->clear();
  ModuleFacts& facts = (*facts_)[module];
  read_facts(module, *roles_, facts);
  return facts;
}

const ModuleOperations& Map::operations() const {
  std::call_once(operations_->is_found,
                 [this] { operations_->operations.emplace(model(), own_tree(), parts_.resolution); });
  return *operations_->operations;
}

ModuleId Map::hf_module(ModuleId module) const {
  const auto written = written_tags_.find(module);
  return written != written_tags_.end() ? written->second.hf_module
                                        : parts_.filter->hf_module(tree(), module);
}

std::vector<modules::LayerStep> Map::layers(ModuleId module) const {
  return own_tree().layer_path(view_ ? view_->view.originals[module] : module);
}

void Map::read_facts(ModuleId module, RoleReader& roles, ModuleFacts& facts) const {
  if (const auto written = written_tags_.find(module); written != written_tags_.end()) {
    facts.hf_module = written->second.hf_module;
    facts.tag = written->second.text;
  } else {
    facts.hf_module = parts_.filter->hf_module(tree(), module);
    facts.tag = facts.hf_module == no_module ? std::string() : tags_->of(facts.hf_module);
  }
  facts.layers = layers(module);
  facts.role = role(module, roles);
  write_scope_path(tree()[module].path, facts.scope_path);
}

Summary Map::summary() const {
  Summary summary;
  summary.nodes = resolution().nodes.size();
  summary.modules = tree().size();
  std::vector<bool> ran(tree().size(), false);
  for (const resolve::Attribution& node : resolution().nodes) {
    if (!node.known()) {
      ++summary.unknown;
      continue;
    }
    ++(node.is_inferred ? summary.inferred : summary.direct);
    ++summary.by_source[static_cast<std::size_t>(node.source)];
    for (ModuleId at = node.module; at != no_module && !ran[at]; at = tree()[at].parent) ran[at] = true;
  }
  for (ModuleId module = 0; module < tree().size(); ++module)
    summary.executed += tree()[module].calls ? *tree()[module].calls > 0 : ran[module];
  return summary;
}

std::vector<ModuleId> Map::initializer_owners() const {
  std::vector<ModuleId> consumers(model().initializers().size(), no_module);
  std::vector<bool> several(consumers.size(), false);
  each_read_initializer(model(), resolution(), [&](std::uint32_t initializer, ModuleId module) {
    ModuleId& consumer = consumers[initializer];
    if (consumer != no_module && consumer != module) several[initializer] = true;
    consumer = module;
  });
  for (std::size_t i = 0; i < consumers.size(); ++i)
    consumers[i] = owner_of_initializer(named_owner(i), consumers[i], several[i]);
  return consumers;
}

std::vector<InitializerRow> Map::initializer_rows() const {
  const auto& initializers = model().initializers();
  std::vector<InitializerRow> rows(initializers.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].name =
        initializers[i].value == onnx::none ? std::string_view() : model().value_name(initializers[i].value);
    rows[i].parameter = hierarchy().parameters()[i].parameter;
  }
  each_read_initializer(model(), resolution(), [&](std::uint32_t initializer, ModuleId module) {
    auto& modules = rows[initializer].modules;
    if (modules.size() < max_consumer_modules &&
        std::find(modules.begin(), modules.end(), module) == modules.end())
      modules.push_back(module);
  });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<ModuleId>& modules = rows[i].modules;
    const ModuleId consumer = modules.empty() ? no_module : modules.front();
    rows[i].module = owner_of_initializer(named_owner(i), consumer, modules.size() > 1);
  }
  return rows;
}

std::string Map::tag_of_unknown() const {
  const std::string root = strategy().tags_auxiliary ? tags_->of(modules::root) : std::string();
  return root.empty() ? root : root + "/AuxiliaryOperations";
}

std::string_view Map::reason(onnx::NodeId node) const {
  const resolve::Attribution& answer = resolution().nodes[node];
  if (!answer.known()) return resolve::name_of(answer.reason);
  return tree()[answer.module].class_name.empty() ? "classes_unknown" : "";
}

std::string_view level_of(const resolve::Attribution& answer) {
  if (!answer.known()) return "none";
  if (answer.confidence >= high_confidence) return "high";
  return answer.confidence >= medium_confidence ? "medium" : "low";
}

}  // namespace thence::semantics
