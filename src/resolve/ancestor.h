// What the ancestor of a derived model decided besides the modules.
#pragma once

#include "evidence/ancestor.h"
#include "resolve/attribution.h"

namespace thence::resolve {

/// Sets the owner of the weight, limits the confidence to the ancestor's, and gives the reason where the
/// ancestor names no module.
void apply_ancestor_answers(const evidence::AncestorAnswers& ancestor, Resolution& resolution);

/// Whether the names in a derived model do not come from the ancestor: an exporter wrote both files.
bool has_independent_names(const onnx::Model& ancestor, const onnx::Model& derived);

/// Whether the ancestor leaves some node to the derived model's own evidence.
bool leaves_open(const evidence::AncestorAnswers& ancestor, const Resolution& resolution);

/// Adds the answers of the derived model's own evidence for nodes that the ancestor leaves open.
/// Independent names, which no optimiser has moved, also overrule the ancestor, if the two mostly agree. So
/// does all evidence if it rests on weights (`weights_overrule`), in a graph that another tool built. `tree`
/// is that of the derived model.
void add_own_answers(const evidence::AncestorAnswers& ancestor, const modules::ModuleTree& tree,
                     const Resolution& own, bool weights_overrule, Resolution& resolution);

}  // namespace thence::resolve
