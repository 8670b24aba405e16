#include "output/source_lines.h"

#include <algorithm>
#include <charconv>

#include "onnx/layout.h"
#include "onnx/metadata_keys.h"
#include "output/limits.h"

namespace thence::output {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool consume(std::string_view& text, std::string_view front) {
  if (!text.starts_with(front)) return false;
  text.remove_prefix(front.size());
  return true;
}

// net.py(12): forward
bool read_short_location(std::string_view line, Frame& frame) {
  const std::size_t open = line.find(".py(");
  if (open == std::string_view::npos) return false;
  frame.file = line.substr(0, open + 3);
  line.remove_prefix(open + 4);
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), frame.line);
  line.remove_prefix(static_cast<std::size_t>(rest - line.data()));
  if (error != std::errc() || !consume(line, ")")) return false;
  if (consume(line, ": ")) frame.function = line;
  return true;
}

// File "net.py", line 12, in forward
bool read_location(std::string_view line, Frame& frame) {
  if (!consume(line, "File \"")) return false;
  const std::size_t end = line.rfind("\", line ");  // a file name may contain quotes
  if (end == std::string_view::npos) return false;
  frame.file = line.substr(0, end);
  line.remove_prefix(end + std::string_view("\", line ").size());
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), frame.line);
  line.remove_prefix(static_cast<std::size_t>(rest - line.data()));
  if (consume(line, ", in ")) frame.function = line;
  return error == std::errc();
}

bool is_pytorch_frame(const Frame& frame) {
  return frame.file.find("-packages/torch/") != std::string_view::npos;
}

}  // namespace

std::vector<Frame> read_frames(std::string_view trace) {
  std::vector<Frame> frames;
  bool after_location = false, innermost_first = false;
  while (!trace.empty()) {
    const std::size_t end = std::min(trace.find('\n'), trace.size());
    const std::string_view line = trimmed(trace.substr(0, end));
    trace.remove_prefix(std::min(end + 1, trace.size()));
    Frame frame;
    const bool is_location = read_location(line, frame);
    if (is_location || (!after_location && read_short_location(line, frame))) {
      innermost_first = !is_location;
      if (innermost_first && frames.size() == max_frames) break;
      // Keep the innermost frames, which are the most specific.
      if (frames.size() == max_frames) frames.erase(frames.begin());
      frames.push_back(frame);
      after_location = is_location;
    } else if (after_location) {
      frames.back().code = line;
      after_location = false;
    }
  }
  if (!innermost_first) std::reverse(frames.begin(), frames.end());
  std::stable_partition(frames.begin(), frames.end(),
                        [](const Frame& frame) { return !is_pytorch_frame(frame); });
  return frames;
}

std::vector<Frame> source_lines(const onnx::Node& node) {
  std::string_view trace;
  for (wire::Fields field(node.bytes()); field.next();)
    if (field.tag() == wire::bytes_tag(onnx::NodeField::doc_string) && onnx::is_stack_trace(field.bytes()))
      trace = field.bytes();
  node.for_each_metadata([&](const onnx::MetadataEntry& entry) {
    if (entry.key == onnx::stack_trace_key) trace = entry.value;
  });
  return read_frames(trace);
}

}  // namespace thence::output
