// thence report: writes the page of `thence view` and its data as one HTML file.
#include "serve/report.h"

#include <cstdio>
#include <memory>

#include "base/format.h"
#include "base/packed_text.h"
#include "cli/overlays.h"
#include "serve/page.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Write the view of a model as one HTML file",
    .details =
        R"(The file contains the page of 'thence view' and its data, compressed. It works from disk, without a server and
without network. If the model has more than 20,000 nodes and modules, boxes below some depth are left out, and the page
says so; --depth chooses the depth. Expressions in the search field need 'thence view'.)",
    .examples = R"(  thence report model.onnx -o report.html
      write the report
  thence report model.onnx --capture model.capture.json -o report.html
      use what was recorded from the live model
  thence report optimised.onnx --ancestor model.onnx --profile profile.json -o report.html
      show both models side by side, and the times of the optimised one
  thence report model.onnx --depth 3 -o report.html
      leave out everything inside boxes of the third level)",
    .exit_codes =
        "0 success, 1 another file is not of this model, 2 wrong usage or built without the page, 3 a file "
        "cannot be decoded, 4 input/output failure",
};

struct ReportFlags : ModelFlags {
  OverlayFlags overlays;
  std::optional<std::size_t> depth;
};

int run_report(ReportFlags& flags) {
  const Result<serve::ReportFrame> frame = serve::read_report_frame();
  if (!frame) return fail(frame.error());
  const OpenedView opened = open_view(flags, flags.overlays);
  if (opened.models == nullptr) return opened.exit_code;
  const serve::ReportData report = serve::collect_report(*opened.models, {.depth = flags.depth});
  const int code = write_output(flags, [&](base::Writer& out) {
    out.write_through(frame->before);
    out.write_through(base::pack_text(report.json));
    out.write_through(frame->after);
  });
  if (code == done && !flags.quiet && report.is_cut)
    std::fputs(
        base::format("boxes below level {} are left out; --depth chooses the level\n", report.depth).c_str(),
        stderr);
  return code;
}

}  // namespace

void add_report(Program& program) {
  auto flags = std::make_shared<ReportFlags>();
  Command command = program.add("report", Purpose::asking, text);
  add_model_flags(command, *flags);
  add_ignore_tags_flag(command, *flags);
  add_rules_flags(command, *flags);
  add_overlay_flags(command, flags->overlays);
  command.number({.name = "-d,--depth", .help = "Levels of boxes that can be opened", .type = "N"},
                 flags->depth, 1, 64);
  command.set_action([flags] { return run_report(*flags); });
}

}  // namespace thence::cli
