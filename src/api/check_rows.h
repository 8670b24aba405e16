// The reports of `thence check` as tables.
#pragma once

#include <string>
#include <vector>

#include "edit/check.h"
#include "output/rows.h"
#include "semantics/map.h"

namespace thence::api {

/// One row per tag that does not fit.
output::Rows tag_rows(const semantics::Map& map, const edit::TagReport& report);

/// The survival of the ids of one file in each of several files.
output::Rows survival_rows(const std::string& against);
void add_survival(const std::string& file, const edit::Survival& found, output::Rows& rows);

/// For a file without ids, which nothing can be compared with.
Error no_ids(const std::string& file);
/// For a model with tags, which are no answers to be scored.
Error tags_would_be_scored(const std::string& file);

}  // namespace thence::api
