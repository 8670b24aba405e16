#include "semantics/roles.h"

#include "base/text.h"
#include "semantics/lexicon.h"

namespace thence::semantics {
namespace {

using hierarchy::ModuleId;

constexpr std::size_t most_readings = 1 << 12;  // kept; a model with more distinct names starts over

std::string_view first_fit(const std::vector<LexiconEntry>& entries, const std::vector<std::string>& words) {
  for (const LexiconEntry& entry : entries)
    if (entry.fits(words)) return entry.name;
  return {};
}

// The first classification of the type whose words fit; one without words fits always and stands last.
std::string_view classify(std::string_view type, std::uint64_t fitting) {
  const auto& all = Lexicon::shipped().classifications;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].type == type && (all[i].words.empty() || (fitting >> i & 1) != 0)) return all[i].name;
  return {};
}

}  // namespace

const RoleReader::Reading& RoleReader::read(const hierarchy::Module& module) {
  const std::string_view name = module.name(), class_name = module.class_name;
  key_.assign(name).push_back('\n');
  key_ += class_name;
  if (const auto found = readings_.find(key_); found != readings_.end()) return found->second;
  if (readings_.size() == most_readings) readings_.clear();
  const Lexicon& lexicon = Lexicon::shipped();
  // A layer's number is no word: its class alone speaks.
  std::vector<std::string> own = base::is_digits(name) ? std::vector<std::string>() : words_of(name);
  std::vector<std::string> words = own;
  for (std::string& word : words_of(hierarchy::short_class(class_name))) words.push_back(std::move(word));
  Reading reading{first_fit(lexicon.types, words), first_fit(lexicon.weak_types, words),
                  first_fit(lexicon.components, own), 0};
  for (std::size_t i = 0; i < lexicon.classifications.size() && i < 64; ++i)
    if (lexicon.classifications[i].fits(words)) reading.classifications |= std::uint64_t{1} << i;
  return readings_.emplace(key_, reading).first->second;
}

Role RoleReader::of(const hierarchy::ModuleTree& tree, ModuleId module) {
  Role role;
  std::string_view weak;
  std::uint64_t fitting = 0;
  for (ModuleId at = module; at != hierarchy::root; at = tree[at].parent) {
    const bool layer = base::is_digits(tree[at].name());
    const Reading& reading = read(tree[at]);
    // Of what lies around the part that gave the type, only attention needs to know more:
    // `crossattention.self`.
    if (role.type.empty() || role.type == "attention") fitting |= reading.classifications;
    if (role.type.empty()) {
      if (role.component.empty()) role.component = reading.component;
      if (!layer || weak.empty()) role.type = reading.type;
      if (weak.empty()) weak = reading.weak_type;
    }
    // A layer's number ends the search: what is around the layer says nothing about its parts.
    if (layer) break;
  }
  if (role.type.empty()) role.type = weak;
  if (!role.type.empty()) role.classification = classify(role.type, fitting);
  return role;
}

}  // namespace thence::semantics
