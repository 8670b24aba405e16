// Numbers the calls of modules by the scopes in names.
#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>

#include "base/text.h"
#include "hierarchy/scope_resolver.h"

namespace thence::hierarchy {
namespace {

// The exporter appends a number to the scope of each call whose text exists already: `/fc`, `/fc_1`.
struct NumberedScope {
  std::string_view text;  // without the number
  unsigned number = 0;
  ScopeId scope = 0;
  auto operator<=>(const NumberedScope&) const = default;
};
using ScopesOfText = std::span<const NumberedScope>;

// What the scopes of one module show.
struct CallsInNames {
  std::uint32_t count = 0;
  std::optional<std::string_view> text;  // the last one
  bool has_several_texts = false;        // of several callers
};

bool is_named_literally(const ModuleTree& tree, const Scope& scope) {
  if (scope.matches.size() != 1) return false;
  const ModuleId module = scope.matches.front().module;
  return scope_component(tree[module].path) == scope.component ||
         scope_component(tree[tree.at_first_path(module)].path) == scope.component;
}

// By text, in the order of the numbers.
std::vector<NumberedScope> sort_by_text(const Scopes& scopes, const ModuleTree& tree) {
  std::vector<NumberedScope> sorted;
  sorted.reserve(scopes.size());
  for (ScopeId id = 0; id < scopes.size(); ++id) {
    const Scope& scope = scopes[id];
    base::NumberedName name{};
    const bool has_number = !scope.is_inner && base::take_number_suffix(scope.component, name) &&
                            !is_named_literally(tree, scope);
    const std::size_t digits = has_number ? scope.component.size() - name.base.size() : 0;
    sorted.push_back({std::string_view(scope.text).substr(0, scope.text.size() - digits),
                      has_number ? name.number : 0, id});
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// If a number is missing, or a scope has no certain module, it is unknown which module was called then, and
// so are the numbers of later calls.
void number_group(ScopesOfText group, Scopes& scopes, std::unordered_map<ModuleId, CallsInNames>& calls) {
  unsigned expected = 0;
  bool is_certain = true;
  for (const auto& [text, number, id] : group) {
    std::vector<ScopeMatch>& matches = scopes[id].matches;
    is_certain = is_certain && number == expected && matches.size() == 1;
    expected = number + 1;
    if (matches.size() != 1) continue;
    CallsInNames& known = calls[matches.front().module];
    known.has_several_texts |= known.text && *known.text != text;
    known.text = text;
    const std::uint32_t call = known.count++;
    if (is_certain && matches.front().kind != ScopeMatchKind::other_framework) matches.front().call = call;
  }
}

}  // namespace

// The k-th scope of a text without numbers is the k-th call by its caller. Calls by several callers may
// alternate, which names do not show. A call without nodes has no scope and takes no number, so the names
// must have as many calls as were recorded, if they were.
void ScopeResolver::number_calls() {
  const std::vector<NumberedScope> sorted = sort_by_text(scopes_, tree_);
  std::unordered_map<ModuleId, CallsInNames> calls;
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto next =
        std::find_if(first, sorted.end(), [&](const NumberedScope& one) { return one.text != first->text; });
    number_group({first, next}, scopes_, calls);
    first = next;
  }
  for (ScopeId id = 0; id < scopes_.size(); ++id) {
    if (scopes_[id].matches.size() != 1) continue;
    ScopeMatch& match = scopes_[id].matches.front();
    const CallsInNames& known = calls[match.module];
    const std::optional<std::uint32_t> recorded = tree_[match.module].calls;
    if (known.has_several_texts || (recorded && *recorded != known.count)) match.call.reset();
  }
}

}  // namespace thence::hierarchy
