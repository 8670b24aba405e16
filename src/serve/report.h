// The report: one HTML file with the page and the data that it shows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "serve/view_models.h"

namespace thence::serve {

struct ReportOptions {
  std::optional<std::size_t> depth = {};  // levels of boxes that can be opened; empty: as many as fit
};

struct ReportData {
  std::string json;       // schema thence.report/1
  std::size_t depth = 0;  // levels of boxes in it
  bool is_cut = false;    // deeper boxes were left out, in one of the models
};

/// Collects the answers to all questions that the page can ask, level by level.
ReportData collect_report(const ViewModels& models, const ReportOptions& options);

}  // namespace thence::serve
