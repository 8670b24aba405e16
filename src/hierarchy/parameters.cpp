#include "hierarchy/parameters.h"

#include <algorithm>

#include "base/text.h"
#include "hierarchy/derived_names.h"

namespace thence::hierarchy {
namespace {

bool is_identifier(std::string_view atom) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  };
  if (atom.empty() || !letter(atom.front())) return false;
  return std::all_of(atom.begin(), atom.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

std::string_view parameter_path(std::string_view initializer) {
  const std::string_view name = DerivedNames::shipped().original_parameter(initializer);
  if (name.empty() || name.size() > ModuleTree::max_path_length) return {};
  // Constants the exporter made carry slashes, colons or plain numbers; a parameter is a chain of identifiers,
  // numbers among them but never at its end.
  const auto atoms = base::split(name, '.');
  if (!is_identifier(atoms.back())) return {};
  for (const std::string_view atom : atoms)
    if (!is_identifier(atom) && !base::is_digits(atom)) return {};
  return name;
}

std::vector<ParameterOwner> parameter_owners(const onnx::Model& model, ModuleTree& tree) {
  std::vector<ParameterOwner> owners(model.initializers().size());
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const onnx::Initializer& initializer = model.initializers()[i];
    if (initializer.value == onnx::none) continue;
    const std::string_view path = parameter_path(model.value_name(initializer.value));
    const std::size_t dot = path.rfind('.');
    // A name of one atom may be anybody's: only a path says whose it is.
    if (dot == std::string_view::npos) continue;
    const std::string_view module = path.substr(0, dot);
    owners[i].module = tree.complete() ? tree.find(module) : tree.add(module);
    if (owners[i].module != no_module) owners[i].parameter = path;
  }
  return owners;
}

}  // namespace thence::hierarchy
