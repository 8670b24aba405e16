// Reads the archive of a saved program. An input is an archive, or the entries of one: each begins with a
// line
// "== name", so that the mutator need not keep the sizes and places of an archive right.
#include "capture/saved_program.h"

#include "../fuzz.h"
#include "zip.h"

namespace thence::fuzz {
namespace {

constexpr std::string_view entry_mark = "== ";

std::string archive_of(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> entries;
  while (text.starts_with(entry_mark)) {
    text.remove_prefix(entry_mark.size());
    const std::string_view name = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(name.size() + 1, text.size()));
    const std::size_t next = text.find("\n== ");
    entries.emplace_back(name, text.substr(0, next));
    text.remove_prefix(next == std::string_view::npos ? text.size() : next + 1);
  }
  return zip_of(entries);
}

void read_archive(std::string_view input) {
  const std::string made = input.starts_with(entry_mark) ? archive_of(input) : std::string();
  Diagnostics diagnostics;
  Result<capture::Capture> read =
      capture::read_saved_program(made.empty() ? input : std::string_view(made), "model.pt2", diagnostics);
  for (const Diagnostic& each : diagnostics.kept()) require_printable(each.text, "diagnostic");
  if (const capture::Capture* program = value_of(read))
    for (const capture::CapturedParameter& parameter : program->parameters) {
      (void)parameter.content_hash();
      require(parameter.width == 0 || parameter.data_elements() <= input.size(), "data is in the archive");
    }
}

const Registration saved_program_target({"saved_program", read_archive, {Part::text}});

}  // namespace
}  // namespace thence::fuzz
