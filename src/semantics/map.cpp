#include "semantics/map.h"

#include <algorithm>
#include <future>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "hierarchy/same_model.h"
#include "hierarchy/scope_names.h"
#include "hierarchy/wrapping.h"
#include "rules/read.h"

namespace thence::semantics {
namespace {

using modules::ModuleId;
using modules::no_module;

constexpr std::size_t shortest_list = 64;

std::optional<Error> check_needs(const resolve::Strategy& strategy,
                                 const std::optional<capture::Capture>& capture) {
  if (strategy.needs_section.empty()) return std::nullopt;
  const bool there = capture && std::find(capture->sections.begin(), capture->sections.end(),
                                          strategy.needs_section) != capture->sections.end();
  if (there) return std::nullopt;
  return Error{
      ErrorKind::usage, "U002",
      base::format("strategy '{}' needs a capture with the section '{}'", strategy.name,
                   strategy.needs_section),
      base::format("capture the live model and give the file with --capture, or use --strategy auto")};
}

// None when there is nothing to read.
Result<std::unique_ptr<rules::Rules>> rules_for(const MapOptions& options) {
  if (options.rules.empty()) {
    if (options.granularity == rules::Granularity::custom)
      return Error{ErrorKind::usage, "U016", "granularity 'custom' is what rules say, and there are none",
                   "give them with --rules, or say hf or nn"};
    return std::unique_ptr<rules::Rules>();
  }
  Result<rules::Rules> read = rules::open_rules(options.rules);
  if (!read) return read.error();
  return std::make_unique<rules::Rules>(*std::move(read));
}

void write_scope_path(std::string_view path, std::string& text) {
  // A dot before a name parts two components; one before a number does not.
  text.assign(1, '/').append(path);
  for (std::size_t dot = text.find('.'); dot != std::string::npos; dot = text.find('.', dot + 1)) {
    const std::size_t end = std::min(text.find('.', dot + 1), text.size());
    if (!base::is_digits(std::string_view(text).substr(dot + 1, end - dot - 1))) text[dot] = '/';
  }
}

// Whose an initializer is: by its name, else the one module whose nodes read it.
ModuleId owner(ModuleId named, ModuleId reader, bool several_readers) {
  return named != no_module || several_readers ? named : reader;
}

// Calls `use` with every initializer that a node of a known module reads, and that module.
template <class Use>
void each_read(const onnx::Model& model, const resolve::Resolution& resolution, Use use) {
  if (model.initializers().empty()) return;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const ModuleId module = resolution.nodes[id].module;
    if (module == no_module) continue;
    for (const onnx::ValueId value : model.node(id).inputs()) {
      if (value == onnx::none) continue;
      const onnx::Producer producer = model.producer(value);
      if (producer.kind == onnx::Producer::Kind::initializer) use(producer.index, module);
    }
  }
}

}  // namespace

Result<Map> Map::make(const std::string& model_path, const MapOptions& options) {
  Map map;
  Result<onnx::Model> model = onnx::Model::open(model_path, map.diagnostics_);
  return finish(std::move(map), std::move(model), options);
}

Result<Map> Map::make(const std::string& model_path, const MapOptions& options,
                      const resolve::Lender& lender) {
  Map map;
  Result<onnx::Model> model = onnx::Model::open(model_path, map.diagnostics_);
  return finish(std::move(map), std::move(model), options, lender);
}

Result<Map> Map::make(std::string_view bytes, const std::string& label, const MapOptions& options) {
  Map map;
  Result<onnx::Model> model = onnx::Model::read(bytes, label, map.diagnostics_);
  return finish(std::move(map), std::move(model), options);
}

Result<Map> Map::finish(Map map, Result<onnx::Model> model, const MapOptions& options,
                        const resolve::Lender& lender) {
  Result<resolve::Strategy> strategy = resolve::find_strategy(options.strategy);
  if (!strategy) return strategy.error();
  if (lender) strategy = resolve::with_ancestor(*strategy);
  map.strategy_ = *strategy;
  Result<std::unique_ptr<rules::Rules>> rules = rules_for(options);
  if (!rules) return rules.error();
  std::optional<capture::Capture> capture;
  if (!options.capture.empty() && !lender) {
    Result<capture::Capture> read = capture::open_capture(options.capture, map.diagnostics_);
    if (!read) return read.error();
    capture = *std::move(read);
  }
  if (auto error = check_needs(*strategy, capture)) return *error;
  if (!model) return model.error();
  map.model_ = std::make_unique<onnx::Model>(*std::move(model));
  if (capture) {
    const hierarchy::Wrapping wrapping = hierarchy::find_wrapping(*capture, *map.model_);
    capture = hierarchy::rewrapped(*std::move(capture), wrapping);
    if (auto error = hierarchy::check_same_model(*capture, *map.model_, options.capture)) return *error;
    if (!wrapping.prefix.empty())
      map.diagnostics_.add(
          {"C007", Severity::note, options.capture,
           base::format("paths in the {} begin with '{}.': the same model, wrapped; those of "
                        "the file are used",
                        wrapping.capture_has_it ? "capture" : "file", base::printable(wrapping.prefix))});
  }
  if (lender) {
    Result<resolve::Lent> lent = lender(*map.model_);
    if (!lent) return lent.error();
    map.lent_ = std::make_unique<resolve::Lent>(*std::move(lent));
    capture.emplace();
    capture->tree = map.lent_->tree->copy();
    capture->tree.set_complete();  // what the ancestor does not have, no node of its descendant comes from
  }
  std::future<resolve::Wiring> wiring =
      std::async(options.jobs > 1 ? std::launch::async : std::launch::deferred,
                 [&model = *map.model_] { return resolve::Wiring(model); });
  map.hierarchy_ = std::make_unique<hierarchy::Hierarchy>(*map.model_, std::move(capture),
                                                          !options.ignore_tags && !lender);
  if (map.tree().full())
    map.diagnostics_.add(
        {"M003", Severity::warning, "",
         base::format(
             "the names in the file speak of more modules than its size allows for; {} are known, and "
             "nodes of others stay unknown",
             map.tree().size())});
  if (strategy->needs_classes && !map.tree().has_classes())
    return Error{ErrorKind::usage, "U004",
                 base::format("strategy '{}' needs the modules' classes, and {} does not have them",
                              strategy->name, base::printable(map.model_->file())),
                 "give a capture with --capture, or use --strategy auto"};
  const auto& exceptions = options.torch_nn_exceptions || *rules == nullptr ? options.torch_nn_exceptions
                                                                            : (*rules)->torch_nn_exceptions;
  map.filter_ = std::make_unique<modules::ClassFilter>(exceptions ? modules::ClassFilter(*exceptions)
                                                                  : modules::ClassFilter());
  map.evidence_ =
      std::make_unique<evidence::Sink>(evidence::collect(*map.model_, *map.hierarchy_, strategy->sources));
  if (map.lent_) resolve::collect_transferred(*map.lent_, *map.evidence_);
  map.resolution_ = resolve::resolve(*map.model_, *map.hierarchy_, *map.evidence_, wiring.get(),
                                     map.strategy_, *map.filter_, map.lent_.get());
  map.shorten_lists();
  map.tell_what_was_left_out();
  if (auto error = map.retell(*std::move(rules), options)) return *error;
  map.tags_ = std::make_unique<Tags>(map.tree(), *map.filter_, options.tag_format);
  // Where all modules are told, they have the same numbers.
  const bool all_told = !map.told_ || map.told_->granularity == rules::Granularity::as_is;
  if (!exceptions && all_told && options.tag_format == TagFormat::ordinal)
    map.written_ = written_tags(*map.hierarchy_);
  for (const hierarchy::NodeTag& tag : map.hierarchy_->tags())
    if (!tag.fits)
      map.diagnostics_.add("T001", [&] {
        return Diagnostic{"T001", Severity::warning, base::format("node {}", tag.node),
                          "its tag is stale: the node changed after it was written; the tag is not used"};
      });
  return map;
}

// What rules and granularity make of the answer; nothing when neither was given.
std::optional<Error> Map::retell(std::unique_ptr<const rules::Rules> rules, const MapOptions& options) {
  using rules::Granularity;
  if (rules == nullptr && !options.granularity) return std::nullopt;
  const bool from_file = rules != nullptr;
  if (!from_file) rules = std::make_unique<rules::Rules>();
  Told told;
  told.granularity =
      options.granularity.value_or(rules->selects() ? Granularity::custom : Granularity::as_is);
  const bool custom = told.granularity == Granularity::custom;
  if (!own_tree().has_classes() && told.granularity == Granularity::hf)
    return Error{ErrorKind::usage, "U017",
                 base::format("granularity 'hf' needs the modules' classes, and {} does not have them",
                              base::printable(model_->file())),
                 "give a capture with --capture, or say --granularity nn"};
  if (!own_tree().has_classes() && custom && rules->base == Granularity::hf)
    diagnostics_.add(
        {"R007", Severity::warning, rules->file,
         "granularity hf cannot be told without the modules' classes: rules start from all modules"});
  Result<rules::View> view = rules::make_view(own_tree(), *rules, told.granularity, *filter_);
  if (!view) return view.error();
  told.view = *std::move(view);
  told.resolution = retold(resolution_, told.view);
  if (told.granularity != Granularity::as_is)
    filter_ = std::make_unique<modules::ClassFilter>(modules::ClassFilter::all());
  if (from_file)
    diagnostics_.add({"R006", Severity::note, rules->file,
                      base::format("its rules are used: {} modules are told as {}", own_tree().size(),
                                   told.view.tree.size())});
  told.rules = std::move(rules);
  told_ = std::make_unique<Told>(std::move(told));
  return std::nullopt;
}

// A strategy that answers only for some classes says which it left out, and how to have them.
void Map::tell_what_was_left_out() {
  if (resolution_.left_out.empty()) return;
  using ByClass = std::map<std::string_view, std::size_t>;  // by short names, which is how users give them
  ByClass left_out, exceptions;
  std::size_t all = 0, own = 0;
  for (const auto& [name, count] : resolution_.left_out) {
    left_out[modules::short_class(name)] += count;
    all += count;
  }
  for (const resolve::Attribution& node : resolution_.nodes) {
    if (!node.known()) continue;
    const std::string_view shown = tree()[filter_->hf_module(tree(), node.module)].class_name;
    if (modules::is_torch_nn(shown))
      ++exceptions[modules::short_class(shown)];
    else
      ++own;
  }
  const auto listed = [](const ByClass& classes, auto entry) {
    constexpr std::size_t enough = 400;
    std::string text;
    for (const auto& [name, count] : classes)
      if (text.size() < enough) text += (text.empty() ? "" : ",") + entry(base::printable(name), count);
    return text;
  };
  const auto with_count = [](const std::string& name, std::size_t count) {
    return base::format("{} {}", name, count);
  };
  const auto with_space = [](const std::string& name, std::size_t count) {
    return base::format(" {} {}", name, count);
  };
  const auto name_only = [](const std::string& name, std::size_t) { return name; };
  ByClass wanted = exceptions;
  wanted.insert(left_out.begin(), left_out.end());
  diagnostics_.add(
      {"T002", Severity::note, "",
       base::format(
           "tagged: {} nodes of the model's own classes{}{}; left out: {} of torch.nn's ({}); to have them, "
           "too: --torch-nn-exceptions {}",
           own, exceptions.empty() ? "" : ", of exceptions:", listed(exceptions, with_space), all,
           listed(left_out, with_count), listed(wanted, name_only))});
}

// A small file can make many nodes that each serve many modules: then the lists are cut shorter, so that an
// answer stays in proportion to its model.
void Map::shorten_lists() {
  constexpr std::size_t most_text = std::size_t{32} << 20;
  std::vector<std::size_t> lengths(resolution_.sets.size());
  for (std::size_t set = 1; set < lengths.size(); ++set)
    for (const ModuleId module : resolution_.sets[set]) lengths[set] += tree()[module].path.size();
  std::size_t text = 0;
  for (const resolve::Attribution& node : resolution_.nodes)
    text += std::min(lengths[node.set], most_listed_);
  if (text > most_text) most_listed_ = shortest_list;
}

std::vector<ModuleId> Map::listed(const resolve::Resolution& resolution, const modules::ModuleTree& tree,
                                  onnx::NodeId node) const {
  const resolve::Attribution& answer = resolution.nodes[node];
  if (answer.set != 0) {
    const std::vector<ModuleId>& set = resolution.sets[answer.set];
    const std::size_t least = most_listed_ == shortest_list ? 1 : 2;
    std::size_t text = 0, count = 0;
    while (count < set.size() && (count < least || text < most_listed_))
      text += tree[set[count++]].path.size();
    return {set.begin(), set.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  if (!answer.known()) return {};
  return {answer.module};
}

ModuleId Map::named_owner(std::size_t initializer) const {
  const ModuleId own = hierarchy_->parameters()[initializer].module;
  return own == no_module ? own : told_as(own);
}

const ModuleFacts& Map::facts(ModuleId module) const {
  constexpr std::size_t most_kept = 512;
  if (const auto found = facts_->find(module); found != facts_->end()) return found->second;
  if (facts_->size() == most_kept) facts_->clear();
  ModuleFacts& facts = (*facts_)[module];
  read_facts(module, *roles_, facts);
  return facts;
}

ModuleId Map::hf_module(ModuleId module) const {
  const auto written = written_.find(module);
  return written != written_.end() ? written->second.hf_module : filter_->hf_module(tree(), module);
}

std::vector<modules::LayerStep> Map::layers(ModuleId module) const {
  return own_tree().layer_path(told_ ? told_->view.stands_for[module] : module);
}

void Map::read_facts(ModuleId module, RoleReader& roles, ModuleFacts& facts) const {
  if (const auto written = written_.find(module); written != written_.end()) {
    facts.hf_module = written->second.hf_module;
    facts.tag = written->second.text;
  } else {
    facts.hf_module = filter_->hf_module(tree(), module);
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
    ++(node.inferred ? summary.inferred : summary.direct);
    ++summary.by_source[static_cast<std::size_t>(node.source)];
    for (ModuleId at = node.module; at != no_module && !ran[at]; at = tree()[at].parent) ran[at] = true;
  }
  for (ModuleId module = 0; module < tree().size(); ++module)
    summary.executed += tree()[module].calls ? *tree()[module].calls > 0 : ran[module];
  return summary;
}

std::vector<ModuleId> Map::initializer_owners() const {
  std::vector<ModuleId> readers(model_->initializers().size(), no_module);
  std::vector<bool> several(readers.size(), false);
  each_read(*model_, resolution(), [&](std::uint32_t initializer, ModuleId module) {
    ModuleId& reader = readers[initializer];
    if (reader != no_module && reader != module) several[initializer] = true;
    reader = module;
  });
  for (std::size_t i = 0; i < readers.size(); ++i) readers[i] = owner(named_owner(i), readers[i], several[i]);
  return readers;
}

std::vector<InitializerRow> Map::initializer_rows() const {
  const auto& initializers = model_->initializers();
  std::vector<InitializerRow> rows(initializers.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].name =
        initializers[i].value == onnx::none ? std::string_view() : model_->value_name(initializers[i].value);
    rows[i].parameter = hierarchy_->parameters()[i].parameter;
  }
  each_read(*model_, resolution(), [&](std::uint32_t initializer, ModuleId module) {
    auto& modules = rows[initializer].modules;
    if (modules.size() < 64 && std::find(modules.begin(), modules.end(), module) == modules.end())
      modules.push_back(module);
  });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<ModuleId>& modules = rows[i].modules;
    const ModuleId reader = modules.empty() ? no_module : modules.front();
    rows[i].module = owner(named_owner(i), reader, modules.size() > 1);
  }
  return rows;
}

std::string Map::tag_of_unknown() const {
  const std::string root = strategy_.tags_auxiliary ? tags_->of(modules::root) : std::string();
  return root.empty() ? root : root + "/AuxiliaryOperations";
}

std::string_view Map::reason(onnx::NodeId node) const {
  const resolve::Attribution& answer = resolution().nodes[node];
  if (!answer.known()) return resolve::name_of(answer.reason);
  return tree()[answer.module].class_name.empty() ? "classes_unknown" : "";
}

std::string_view level_of(const resolve::Attribution& answer) {
  if (!answer.known()) return "none";
  if (answer.confidence >= 0.95f) return "high";
  return answer.confidence >= 0.7f ? "medium" : "low";
}

}  // namespace thence::semantics
