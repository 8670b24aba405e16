#include <limits>

#include "base/format.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "serve/limits.h"
#include "serve/overlay.h"
#include "serve/summaries.h"

namespace thence::serve {
namespace {

enum class Number { missing, none, some };

// An error of the schema: a number that is not negative, "inf", or null.
Number read_error(base::JsonValue value, double& number) {
  if (value.is_null()) return Number::none;
  number = value.text_or("") == "inf" ? std::numeric_limits<double>::infinity() : value.real().value_or(-1);
  return number >= 0 ? Number::some : Number::missing;
}

// Returns whether the row is valid.
bool read_row(base::JsonValue row, Drift& drift) {
  const Number error = read_error(row["relative_error"], drift.error);
  double added = 0;
  const Number has_added = read_error(row["added"], added);
  const std::optional<bool> over = row["over"].boolean();
  if (error == Number::missing || has_added == Number::missing || !over) return false;
  drift.is_compared = error == Number::some;
  if (has_added == Number::some) drift.added = added;
  drift.is_over = *over;
  return true;
}

}  // namespace

Result<Drifts> read_drifts(const semantics::Map& map, const std::string& file) {
  const Result<base::MappedFile> mapped = base::MappedFile::open(file);
  if (!mapped) return mapped.error();
  const base::JsonDocument document(mapped->bytes());
  if (document.error()) return damaged_overlay("drift", file, *document.error());
  const base::JsonValue root = document.root(), rows = root["modules"];
  if (root["schema"].text_or("") != "thence.drift/1" || !rows.is_array() || !root["reference"].text())
    return damaged_overlay("drift", file, "not a file of thence.drift/1");
  Drifts drifts{.file = shown_file(file), .reference = shown_file(*root["reference"].text())};
  drifts.by_module.resize(map.tree().size());
  std::size_t listed = 0, found = 0;
  for (const base::JsonValue row : rows.items()) {
    Drift drift;
    if (!row.is_object() || !read_row(row, drift))
      return damaged_overlay("drift", file, base::format("row {} of modules is damaged", listed));
    ++listed;
    const std::optional<std::string_view> path = row["path"].text();
    const modules::ModuleId module = path ? map.tree().find(*path) : modules::no_module;
    if (module == modules::no_module) continue;
    ++found;
    if (drift.is_compared) drifts.by_module[module] = drift;
  }
  if (listed > 0 && static_cast<double>(found) >= min_known_modules * static_cast<double>(listed))
    return drifts;
  return Error{ErrorKind::difference, "V004",
               base::format("{} is of another model: {} of {} modules are in {}", base::printable(file),
                            found, listed, base::printable(map.model().file())),
               "give the second model of 'thence drift', and the same --capture and --ancestor"};
}

}  // namespace thence::serve
