#include "query/selector.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "evidence/source.h"
#include "expression/bind.h"
#include "expression/parser.h"
#include "query/limits.h"

namespace thence::query {
namespace {

using base::Glob;

Error malformed(SelectorKind kind, const std::string& text, std::string hint) {
  return {
      ErrorKind::usage, "Q001",
      base::format("{} '{}' is malformed", flag_of(kind), base::printable(text.substr(0, max_shown_bytes))),
      std::move(hint)};
}

std::vector<std::string_view> source_names() {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < evidence::source_count; ++i)
    names.push_back(evidence::name_of(static_cast<evidence::Source>(i)));
  return names;
}

Result<Term> read_term(SelectorKind kind, const std::string& text) {
  const bool path = kind == SelectorKind::module || kind == SelectorKind::under;
  if (text.size() > Glob::max_length)
    return malformed(kind, text, base::format("it is longer than {} bytes", Glob::max_length));
  if (text.empty() && !path) return malformed(kind, text, "it is empty");
  Term term{kind, text, Glob(path && text == "(root)" ? "" : text)};
  if (kind == SelectorKind::layer) {
    const std::optional<LayerRange> layers = parse_layers(text);
    if (!layers) return malformed(kind, text, "write 2, 0-3, 5-, -1 (the last) or a list of these: 0,2,5-");
    term.layers = *layers;
  } else if (kind == SelectorKind::op) {
    if (const std::size_t colons = text.find("::"); colons != std::string::npos) {
      term.domain = Glob(std::string_view(text).substr(0, colons));
      term.glob = Glob(std::string_view(text).substr(colons + 2));
    }
  } else if (kind == SelectorKind::source) {
    const std::vector<std::string_view> names = source_names();
    if (std::none_of(names.begin(), names.end(),
                     [&](std::string_view name) { return term.glob.matches_word(name); }))
      return malformed(kind, text, base::format("sources: {}", base::joined(names, ", ")));
  }
  return term;
}

}  // namespace

bool Selectors::empty() const {
  return modules.empty() && under.empty() && classes.empty() && roles.empty() && components.empty() &&
         layers.empty() && ops.empty() && parameters.empty() && sources.empty() && min_confidence <= 0 &&
         !unknown && where.empty();
}

std::string_view flag_of(SelectorKind kind) {
  static constexpr std::array<std::string_view, selector_kind_count> flags = {
      "--module", "--under", "--class",     "--role",  "--component",
      "--layer",  "--op",    "--parameter", "--source"};
  return flags[static_cast<std::size_t>(kind)];
}

Result<Selector> Selector::make(const Selectors& wanted) {
  if (!(wanted.min_confidence >= 0 && wanted.min_confidence <= 1))  // also rejects NaN
    return Error{ErrorKind::usage, "Q001", "--min-confidence is malformed", "write a number from 0 to 1"};
  if (wanted.shared && wanted.exact)
    return Error{ErrorKind::usage, "Q001", "--shared and --exact exclude each other", "give one of them"};
  Selector selector;
  selector.min_confidence_ = wanted.min_confidence;
  selector.unknown_ = wanted.unknown;
  selector.shared_ = wanted.shared;
  selector.is_exact_ = wanted.exact;
  const std::pair<SelectorKind, const std::vector<std::string>*> given[] = {
      {SelectorKind::module, &wanted.modules},
      {SelectorKind::under, &wanted.under},
      {SelectorKind::class_name, &wanted.classes},
      {SelectorKind::role, &wanted.roles},
      {SelectorKind::component, &wanted.components},
      {SelectorKind::layer, &wanted.layers},
      {SelectorKind::op, &wanted.ops},
      {SelectorKind::parameter, &wanted.parameters},
      {SelectorKind::source, &wanted.sources}};
  std::size_t count = 0;
  for (const auto& [kind, texts] : given) count += texts->size();
  if (count > max_selectors)
    return Error{ErrorKind::usage, "Q001",
                 base::format("{} selectors given, more than {}", count, max_selectors),
                 "use globs, such as --module 'encoder.**'"};
  for (const auto& [kind, texts] : given)
    for (const std::string& text : *texts) {
      Result<Term> term = read_term(kind, text);
      if (!term) return term.error();
      selector.terms_[static_cast<std::size_t>(kind)].push_back(*std::move(term));
    }
  if (!wanted.where.empty()) {
    Result<expression::Expression> where = expression::parse(wanted.where);
    if (!where) return where.error();
    // Columns and types are checked before the model is read.
    if (const auto bound = expression::bind_comparisons(*where); !bound) return bound.error();
    selector.where_ = *std::move(where);
  }
  return selector;
}

}  // namespace thence::query
