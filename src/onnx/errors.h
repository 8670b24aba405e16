// Errors: the messages for files that are not valid models. Each reports what is wrong, at which byte, and
// what to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "wire/survey.h"

namespace thence::onnx {

Error empty_file(const std::string& file);
Error undecodable(const std::string& file, std::string_view bytes, const wire::Survey& survey);
Error no_graph(const std::string& file, std::string_view bytes);
Error long_name(const std::string& file, std::uint64_t size, std::uint64_t offset);
Error limits_exceeded(const std::string& file, const std::string& what);

class Model;
/// Returns an error if the external data of an initializer has an offset or a length that is not a decimal
/// number. For commands that read external data.
std::optional<Error> invalid_external_data(const Model& model);

}  // namespace thence::onnx
