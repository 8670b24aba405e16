// Reads a rules file in TOML and checks every key and value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "rules/rules.h"

namespace thence::rules {

inline constexpr const char* default_file_name = "thence.toml";

Result<Rules> open_rules(const std::string& path);
/// Reads any bytes. Errors name `file`.
Result<Rules> read_rules(std::string_view bytes, const std::string& file);

/// The nearest `thence.toml` in the working folder or its parents; empty if there is none.
std::string find_rules();

/// hf, nn or custom.
std::optional<Granularity> granularity_of(std::string_view name);
std::string_view name_of(Granularity granularity);
Error no_such_granularity(std::string_view name);

}  // namespace thence::rules
