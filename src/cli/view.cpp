// thence view: shows the model as nested modules in a browser.
#include <spawn.h>
#include <sys/types.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/format.h"
#include "cli/overlays.h"
#include "output/formats.h"
#include "serve/http_server.h"
#include "serve/site.h"

extern char** environ;

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Show the model as nested modules in a browser",
    .details =
        R"(Starts a server on 127.0.0.1, prints the address of the page and opens it in a browser. Modules are boxes that open
and close; each node shows its module, evidence and alternatives. Ctrl-C ends the server.

The printed address works once: it contains a token that the browser exchanges for a cookie. Other programs and other
web pages get no answer. The server never writes, and opens no file that a request names.)",
    .examples = R"(  thence view model.onnx
      open the model in the browser
  thence view model.onnx --capture model.capture.json
      use what was recorded from the live model
  thence view optimised.onnx --ancestor model.onnx --profile profile.json
      show both models side by side, and the times of the optimised one
  thence view old.onnx --diff new.onnx
      show two versions side by side
  thence view model.onnx --no-open --port 8080
      print the address only, for example to forward the port)",
    .exit_codes =
        "1 another file is not of this model; 2 wrong usage, or built without the page; 3 a file cannot be "
        "decoded; 4 input/output failure; 130 ended by Ctrl-C",
};

struct ViewFlags : ModelFlags {
  OverlayFlags overlays;
  std::size_t port = 0;
  bool no_open = false;
};

bool has_display() { return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr; }

// A browser that cannot be started is not an error: the address was printed.
void open_browser(const std::string& url) {
  std::string program = "xdg-open", argument = url;
  char* const arguments[] = {program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {0, 1, 2})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream == 0 ? 0 : 1, 0);
  pid_t child = 0;
  (void)posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
}

int run_view(ViewFlags& flags) {
  Result<serve::Page> page = serve::read_page();
  if (!page) return fail(page.error());
  const OpenedView opened = open_view(flags, flags.overlays);
  if (opened.models == nullptr) return opened.exit_code;
  Result<serve::HttpServer> server = serve::HttpServer::listen(static_cast<std::uint16_t>(flags.port));
  if (!server) return fail(server.error());
  serve::Site site(*opened.models, *std::move(page), server->port());
  const std::string url = site.url();
  std::printf("%s\n", url.c_str());
  std::fflush(stdout);
  if (!flags.quiet)
    std::fputs((output::summary_line(opened.models->main().map()) + "\nCtrl-C ends the server\n").c_str(),
               stderr);
  if (!flags.no_open && has_display()) open_browser(url);
  server->run([&](const serve::Request& request) { return site.answer(request); }, [] { return false; });
  return done;
}

}  // namespace

void add_view(Program& program) {
  auto flags = std::make_shared<ViewFlags>();
  Command command = program.add("view", Purpose::asking, text);
  add_model_flags(command, *flags);
  add_ignore_tags_flag(command, *flags);
  add_rules_flags(command, *flags);
  add_overlay_flags(command, flags->overlays);
  command.section("Server");
  command.number(
      {.name = "--port", .help = "Port on 127.0.0.1; 0: a free one", .type = "PORT", .show_default = true},
      flags->port, 0, 65535);
  command.flag({.name = "--no-open", .help = "Do not open a browser"}, flags->no_open);
  command.set_action([flags] { return run_view(*flags); });
}

}  // namespace thence::cli
