#include "cli/help.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace thence::cli {
namespace {

constexpr std::size_t line_width = 80;
constexpr std::size_t flag_width = 26;  // of the column of flags and values

struct Heading {
  Purpose purpose;
  const char* text;
};
constexpr Heading headings[] = {
    {Purpose::exporting, "Export"}, {Purpose::asking, "Ask"},     {Purpose::comparing, "Compare"},
    {Purpose::editing, "Edit"},     {Purpose::checking, "Check"}, {Purpose::shell, "Shell"},
};

// Appends words in lines that begin with `indent` spaces. The first line begins at `column`.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent, std::size_t column) {
  bool first = true;
  for (const std::string_view word : base::split(text, ' ')) {
    if (!first && column + 1 + word.size() > line_width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    first = false;
  }
  out += '\n';
}

// Wraps paragraphs. Lines that begin with a space are not changed.
void append_paragraphs(std::string& out, std::string_view text) {
  std::string paragraph;
  const auto flush = [&] {
    if (!paragraph.empty()) append_wrapped(out, paragraph, 0, 0);
    paragraph.clear();
  };
  for (const std::string_view line : base::split(text, '\n')) {
    if (line.empty() || line.front() == ' ') {
      flush();
      out += line;
      out += '\n';
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
    }
  }
  flush();
}

void append_row(std::string& out, const std::string& left, std::string_view help) {
  out += "  " + left;
  if (left.size() + 1 > flag_width) {
    out += '\n';
    out.append(2 + flag_width, ' ');
  } else {
    out.append(flag_width - left.size(), ' ');
  }
  append_wrapped(out, help, 2 + flag_width, 2 + flag_width);
}

std::string flag_column(const DeclaredFlag& flag) {
  if (flag.names.empty()) return flag.type;
  std::string left = flag.names.front().starts_with("--") ? "    " : "";
  left += base::joined(flag.names, ", ");
  return flag.takes_value ? left + " " + flag.type : left;
}

std::string flag_help(const DeclaredFlag& flag) {
  std::string help = flag.help;
  if (flag.required && !flag.names.empty()) help += " (required)";
  if (!flag.default_value.empty()) help += base::format(" (default: {})", flag.default_value);
  return help;
}

void append_flags(std::string& out, const DeclaredCommand& command) {
  std::vector<std::string> sections;
  for (const DeclaredFlag& flag : command.flags)
    if (std::find(sections.begin(), sections.end(), flag.section) == sections.end())
      sections.push_back(flag.section);
  // Positional arguments come first, then sections of this command, then common sections.
  const auto rank = [](const std::string& section) {
    constexpr std::string_view shared[] = {"Evidence", "Modules", "Output"};
    if (section == "Arguments") return std::ptrdiff_t{-2};
    const auto found = std::find(std::begin(shared), std::end(shared), section);
    return found == std::end(shared) ? -1 : found - std::begin(shared);
  };
  std::stable_sort(sections.begin(), sections.end(),
                   [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
  if (sections.empty() || sections.back() == "Arguments") sections.emplace_back("Options");
  for (const std::string& section : sections) {
    out += "\n" + section + ":\n";
    for (const DeclaredFlag& flag : command.flags)
      if (flag.section == section) append_row(out, flag_column(flag), flag_help(flag));
    if (section == sections.back()) append_row(out, "-h, --help", "Print this help");
  }
}

}  // namespace

std::string program_help(const std::list<DeclaredCommand>& commands) {
  std::string out =
      "thence reports which PyTorch or Hugging Face module produced each node of an\n"
      "ONNX model, with the evidence and a confidence.\n\n"
      "Usage: thence COMMAND [options]\n";
  for (const Heading& heading : headings) {
    out += base::format("\n{}:\n", heading.text);
    for (const DeclaredCommand& command : commands)
      if (command.purpose == heading.purpose)
        out += base::format("  {:<12} {}\n", command.name, command.text.summary);
    if (heading.purpose == Purpose::shell)
      out += base::format("  {:<12} {}\n", "help", "Print the help of a command");
  }
  out +=
      "\nOptions:\n"
      "  -h, --help     Print this help\n"
      "  -V, --version  Print the version\n\n"
      "Run 'thence COMMAND --help' for the options and examples of a command.\n\n"
      "Exit codes: 0 success; 1 a difference, a failed check, or no match; 2 wrong\n"
      "usage; 3 invalid input; 4 input/output failure.\n";
  return out;
}

std::string command_help(const CommandPath& path) {
  const DeclaredCommand& command = *path.back();
  std::string out;
  append_paragraphs(out, std::string(command.text.summary) + ".");
  out += base::format("\nUsage: {}\n", usage_line(path));
  if (*command.text.details != '\0') {
    out += '\n';
    append_paragraphs(out, command.text.details);
  }
  if (!command.commands.empty()) {
    out += "\nCommands:\n";
    for (const DeclaredCommand& one : command.commands) append_row(out, one.name, one.text.summary);
  }
  append_flags(out, command);
  if (*command.text.examples != '\0') out += base::format("\nExamples:\n{}\n", command.text.examples);
  if (*command.text.exit_codes != '\0') {
    out += '\n';
    append_paragraphs(out, base::format("Exit codes: {}.", command.text.exit_codes));
  }
  return out;
}

std::string full_command(const CommandPath& path) {
  std::string text = "thence";
  for (const DeclaredCommand* const command : path) text += " " + command->name;
  return text;
}

std::string usage_line(const CommandPath& path) {
  std::string line = full_command(path);
  if (path.empty() || !path.back()->commands.empty()) return line + " COMMAND [options]";
  for (const DeclaredFlag& flag : path.back()->flags) {
    if (flag.names.empty())
      line +=
          (flag.required ? " " : " [") + flag.type + (flag.several ? "..." : "") + (flag.required ? "" : "]");
    else if (flag.required)
      line += base::format(" {} {}", flag.key, flag.type);
  }
  return line + " [options]";
}

}  // namespace thence::cli
