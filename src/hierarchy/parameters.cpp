#include "hierarchy/parameters.h"

#include <algorithm>

#include "base/text.h"
#include "hierarchy/derived_names.h"

namespace thence::hierarchy {
namespace {

bool is_identifier(std::string_view atom) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  if (atom.empty() || !letter(atom.front())) return false;
  return std::all_of(atom.begin(), atom.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

ParameterOwner owner_by_name(std::string_view name, ModuleTree& tree) {
  const std::string_view path = parameter_path(name);
  const std::size_t dot = path.rfind('.');
  // A name without a dot may be anything; only a path names the owner.
  if (dot == std::string_view::npos) return {};
  const std::string_view module = path.substr(0, dot);
  const ModuleId owner = tree.is_complete_at(module) ? tree.find(module) : tree.add(module);
  return {owner, owner == no_module ? std::string_view() : path};
}

}  // namespace

std::string_view parameter_path(std::string_view initializer) {
  const std::string_view name = DerivedNames::shipped().original_parameter(initializer);
  if (name.empty() || name.size() > ModuleTree::max_path_length) return {};
  // Names of constants that the exporter created contain slashes or colons, or are numbers. A parameter path
  // consists of identifiers and numbers, and its last atom is an identifier.
  const auto atoms = base::split(name, '.');
  if (!is_identifier(atoms.back())) return {};
  for (const std::string_view atom : atoms)
    if (!is_identifier(atom) && !base::is_digits(atom)) return {};
  return name;
}

std::vector<ParameterOwner> parameter_owners(const onnx::Model& model, ModuleTree& tree) {
  std::vector<ParameterOwner> owners(model.initializers().size());
  for (std::size_t i = 0; i < owners.size(); ++i)
    if (const onnx::ValueId value = model.initializers()[i].value; value != onnx::none)
      owners[i] = owner_by_name(model.value_name(value), tree);
  return owners;
}

std::unordered_map<onnx::ValueId, ParameterOwner> parameter_copies(const onnx::Model& model,
                                                                   ModuleTree& tree) {
  std::unordered_map<onnx::ValueId, ParameterOwner> copies;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const onnx::Node node = model.node(id);
    if (node.op_type() != "Identity" || node.inputs().size() != 1 || node.outputs().size() != 1) continue;
    const onnx::ValueId from = node.inputs()[0], to = node.outputs()[0];
    if (from == onnx::none || to == onnx::none ||
        model.producer(from).kind != onnx::Producer::Kind::initializer)
      continue;
    const ParameterOwner owner = owner_by_name(model.value_name(to), tree);
    if (owner.module != no_module && tree.charge_memory(64)) copies.emplace(to, owner);
  }
  return copies;
}

}  // namespace thence::hierarchy
