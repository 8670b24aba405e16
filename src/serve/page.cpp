#include "serve/page.h"

#include "base/embedded.h"
#include "base/packed_text.h"

namespace thence::serve {
namespace {

constexpr std::uint64_t max_page_bytes = 16 << 20;
constexpr std::string_view data_mark = "@@DATA@@";

// The build packs the files, as base::pack_text() does.
std::string read_packed(std::string_view name) {
  return base::unpack_text(base::embedded_file(name), max_page_bytes).value_or("");
}

Error no_page() {
  return {ErrorKind::usage, "V003", "this program was built without the page of the viewer",
          "build it again where node and npm are installed, see CONTRIBUTING.md; 'thence show' and 'thence "
          "convert' "
          "work without it"};
}

}  // namespace

Result<Page> read_page() {
  Page page{read_packed("index.html.packed"), read_packed("app.js.packed"), read_packed("app.css.packed")};
  if (page.html.empty() || page.script.empty()) return no_page();
  return page;
}

Result<ReportFrame> read_report_frame() {
  const std::string text = read_packed("report.html.packed");
  const std::size_t at = text.find(data_mark);
  if (at == std::string::npos) return no_page();
  return ReportFrame{text.substr(0, at), text.substr(at + data_mark.size())};
}

}  // namespace thence::serve
