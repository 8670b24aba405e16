// Page: the web page that is embedded in the program (viewer/ has its sources), and the report that contains
// it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace thence::serve {

struct Page {
  std::string html, script, style;
};

/// Returns an error if the program was built without the page.
Result<Page> read_page();
/// The report around its data: the text before and after.
struct ReportFrame {
  std::string before, after;
};
Result<ReportFrame> read_report_frame();

}  // namespace thence::serve
