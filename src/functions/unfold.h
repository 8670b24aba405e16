// Unfold: the flat form of a model with functions. What `thence fold` folded is restored byte by byte; other
// functions are expanded.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "functions/folded_format.h"
#include "onnx/model.h"
#include "wire/splice.h"

namespace thence::functions {

struct Unfolded {
  wire::Splice model;
  onnx::Model flat;               // the same, read: what is written is a readable model
  bool is_restored = false;       // the model that was folded, byte by byte
  std::vector<std::string> kept;  // functions that could not be expanded
};

/// Whether the model has functions of any origin.
bool has_functions(const onnx::Model& model);

/// Restores a folded model. The functions that the flat model had are kept. In a model that was not folded,
/// all functions are expanded. The model must outlive the result. The diagnostics are those of the flat
/// model.
Result<Unfolded> unfold_model(const onnx::Model& model, Diagnostics& diagnostics);

/// Opens a model ("-": standard input), or reads bytes that must outlive it. A folded model is read as the
/// flat model, so that it has the same answers.
Result<onnx::Model> open_model(const std::string& path, Diagnostics& diagnostics);
Result<onnx::Model> read_model(std::string_view bytes, const std::string& label, Diagnostics& diagnostics);

}  // namespace thence::functions
