#include "profile/read.h"

#include <algorithm>

#include "base/format.h"
#include "base/json_stream.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "profile/limits.h"
#include "profile/openvino.h"
#include "profile/tensorrt.h"

namespace thence::profile {
namespace {

constexpr const char* known_formats =
    "give a JSON profile of onnxruntime, an execution graph (XML) or profiling information (JSON) of "
    "OpenVINO, or "
    "a JSON profile of TensorRT with its layer information";

Error foreign(const std::string& file) {
  return {ErrorKind::bad_input, "K001",
          base::format("{}: not a profile of a known runtime", base::printable(file)), known_formats};
}

Error in_file(const std::string& file, Error error) {
  error.text = base::format("{}: {}", base::printable(file), error.text);
  return error;
}

Error not_json(const std::string& file, const base::JsonStreamError& error) {
  return {ErrorKind::bad_input, "K002",
          base::format("{}: {} (offset {})", base::printable(file), error.text, error.offset),
          "the file is damaged or incomplete: record the profile again"};
}

enum class Format { none, trace, profiling_information, layer_times };

Format format_of(base::JsonValue item) {
  if (is_trace_event(item)) return Format::trace;
  if (is_profiling_entry(item)) return Format::profiling_information;
  if (is_layer_time(item)) return Format::layer_times;
  return Format::none;
}

// Reads the files into one recording.
class ProfileReader {
 public:
  explicit ProfileReader(const ReadOptions& options)
      : options_(options), builder_(max_extra_kernels + 2 * options.model_nodes) {}

  std::optional<Error> read(const std::string& file);
  Result<Recording> finish() &&;

 private:
  std::optional<Error> read_array(const std::string& file, std::string_view text);
  std::optional<Error> read_graph(const std::string& file, std::string_view xml);
  std::optional<Error> read_object(const std::string& file, std::string_view text);
  std::optional<Error> read_item(Format format, base::JsonValue item);
  std::optional<Error> set_runtime(const std::string& file, Runtime runtime);

  ReadOptions options_;
  RecordingBuilder builder_;
  std::optional<TraceReader> trace_;
  LayerNodes layers_;
  std::optional<Runtime> runtime_;
  std::string first_file_;
};

std::optional<Error> ProfileReader::set_runtime(const std::string& file, Runtime runtime) {
  if (!runtime_) {
    runtime_ = builder_.recording().runtime = runtime;
    first_file_ = file;
  }
  if (*runtime_ == runtime) return std::nullopt;
  return Error{ErrorKind::usage, "K003",
               base::format("{} is a profile of {}, and {} one of {}", base::printable(first_file_),
                            name_of(*runtime_), base::printable(file), name_of(runtime)),
               "give profiles of one runtime, or compare them with --against"};
}

std::optional<Error> ProfileReader::read_item(Format format, base::JsonValue item) {
  switch (format) {
    case Format::trace: return trace_->read(item);
    case Format::profiling_information: return read_profiling_entry(item, builder_);
    default: return read_layer_time(item, layers_, builder_);
  }
}

std::optional<Error> ProfileReader::read_array(const std::string& file, std::string_view text) {
  Format format = Format::none;
  std::optional<Error> error;
  std::uint64_t items = 0;
  const auto read_next = [&](base::JsonValue item) {
    if (items++ == 0) {
      format = format_of(item);
      if (format == Format::none)
        error = foreign(file);
      else
        error = set_runtime(file, format == Format::trace                   ? Runtime::onnxruntime
                                  : format == Format::profiling_information ? Runtime::openvino
                                                                            : Runtime::tensorrt);
      if (error) return false;
      if (format == Format::trace) trace_.emplace(builder_);
    }
    if ((error = read_item(format, item)))
      error->text = base::format("{}: item {}: {}", base::printable(file), items - 1, error->text);
    return !error.has_value();
  };
  const std::optional<base::JsonStreamError> failed = base::for_each_json_item(text, read_next);
  if (error) return error;
  if (failed) return not_json(file, *failed);
  if (items == 0) return foreign(file);
  if (format == Format::trace) trace_->finish();
  return std::nullopt;
}

std::optional<Error> ProfileReader::read_graph(const std::string& file, std::string_view xml) {
  if (std::optional<Error> error = set_runtime(file, Runtime::openvino)) return error;
  if (std::optional<Error> error = read_execution_graph(xml, builder_)) return in_file(file, *error);
  return std::nullopt;
}

std::optional<Error> ProfileReader::read_object(const std::string& file, std::string_view text) {
  const base::JsonDocument document(text);
  if (document.error()) return not_json(file, {*document.error(), text.size()});
  if (!document.root()["Layers"].exists()) return foreign(file);
  if (std::optional<Error> error = set_runtime(file, Runtime::tensorrt)) return error;
  if (std::optional<Error> error = read_layer_information(document.root(), layers_))
    return in_file(file, *error);
  return std::nullopt;
}

std::optional<Error> ProfileReader::read(const std::string& file) {
  Result<base::MappedFile> mapped =
      file == "-" ? base::MappedFile::standard_input() : base::MappedFile::open(file);
  if (!mapped) return mapped.error();
  std::string_view text = mapped->bytes();
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const bool is_whole = text.size() <= max_document_bytes;  // an array is read as a stream
  builder_.begin_file(options_.skipped_runs);
  std::optional<Error> error;
  if (text.starts_with('['))
    error = read_array(file, text);
  else if (is_whole && text.starts_with('<') && text.find("<net ") != std::string_view::npos)
    error = read_graph(file, text);
  else if (is_whole && text.starts_with('{'))
    error = read_object(file, text);
  else
    error = foreign(file);
  if (!error) builder_.end_open_run();
  return error;
}

Result<Recording> ProfileReader::finish() && {
  const bool is_cut = builder_.recording().runs.empty() && options_.skipped_runs > 0;
  Recording recording = std::move(builder_).finish();
  if (!recording.kernels.empty()) return recording;
  return Error{ErrorKind::difference, "K004",
               base::format("{}: the profile has no kernels", base::printable(first_file_)),
               is_cut ? "skip fewer runs with --warmup" : "run the model while the profile is recorded"};
}

// Files of layer information come first, because the times refer to them.
bool is_layer_information(const std::string& file) {
  if (file == "-") return false;
  const Result<base::MappedFile> mapped = base::MappedFile::open(file);
  if (!mapped) return false;
  const std::string_view text = mapped->bytes();
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && text[begin] == '{';
}

}  // namespace

Result<Recording> read_profiles(const std::vector<std::string>& files, const ReadOptions& options) {
  ProfileReader reader(options);
  std::vector<std::string> ordered = files;
  std::stable_partition(ordered.begin(), ordered.end(), is_layer_information);
  for (const std::string& file : ordered)
    if (std::optional<Error> error = reader.read(file)) return *std::move(error);
  return std::move(reader).finish();
}

std::optional<Error> for_each_trace_event(const std::string& file,
                                          const std::function<void(const TraceEvent&)>& use) {
  Result<base::MappedFile> mapped = base::MappedFile::open(file);
  if (!mapped) return mapped.error();
  std::optional<Error> error;
  const auto failed = base::for_each_json_item(mapped->bytes(), [&](base::JsonValue item) {
    const Result<TraceEvent> event = read_trace_event(item);
    if (!event) error = in_file(file, event.error());
    if (event && event->kind != TraceEvent::Kind::other) use(*event);
    return !error.has_value();
  });
  if (failed) return not_json(file, *failed);
  return error;
}

}  // namespace thence::profile
