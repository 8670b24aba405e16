#include "given.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "failure.h"
#include "functions/unfold.h"
#include "rules/read.h"

namespace nb = nanobind;

namespace thence::python {

GivenModel::GivenModel(std::string path, std::optional<nb::bytes> bytes)
    : path_(std::move(path)), label_(path_.empty() ? "model" : path_), bytes_(std::move(bytes)) {
  if (bytes_) view_ = {bytes_->c_str(), bytes_->size()};
}

Result<semantics::Map> GivenModel::map(const semantics::MapOptions& options) const {
  return bytes_ ? pipeline::map_bytes(view_, label_, options) : pipeline::map_file(path_, options);
}

Result<semantics::Map> GivenModel::map_derived(const semantics::Map& ancestor,
                                               const semantics::MapOptions& options,
                                               const transfer::Verifier& verifier) const {
  return bytes_ ? pipeline::map_derived_bytes(ancestor, view_, label_, options, verifier)
                : pipeline::map_derived(ancestor, path_, options, verifier);
}

Result<onnx::Model> GivenModel::open_flat() const {
  Diagnostics ignored;
  return bytes_ ? functions::read_model(view_, label_, ignored) : functions::open_model(path_, ignored);
}

Result<onnx::Model> GivenModel::open() const {
  Diagnostics ignored;
  return bytes_ ? onnx::Model::read(view_, label_, ignored) : onnx::Model::open(path_, ignored);
}

semantics::MapOptions make_options(const std::string& capture, const std::string& checkpoint,
                                   const std::string& description, const std::string& strategy,
                                   const std::optional<std::vector<std::string>>& exceptions,
                                   const std::string& tag_format, const std::string& rules_file,
                                   const std::string& granularity, bool ignore_tags) {
  semantics::MapOptions options;
  options.strategy = strategy;
  options.capture = capture;
  if (!checkpoint.empty()) options.checkpoint = {checkpoint, description};
  options.torch_nn_exceptions = exceptions;
  options.rules = rules_file;
  options.ignore_tags = ignore_tags;
  if (tag_format == "class")
    options.tag_format = semantics::TagFormat::bare;
  else if (tag_format != "ordinal")
    fail({ErrorKind::usage, "U026", "tag_format: '" + tag_format + "' is not one of its values",
          "values: ordinal, class"});
  if (granularity.empty()) return options;
  options.granularity = rules::granularity_of(granularity);
  if (!options.granularity) fail(rules::no_such_granularity(granularity));
  return options;
}

void add_given(nb::module_& module) {
  nb::class_<GivenModel>(module, "Model", "A model: the path of a file, or its bytes.")
      .def(nb::init<std::string, std::optional<nb::bytes>>(), nb::arg("path"), nb::arg("bytes").none());
  nb::class_<semantics::MapOptions>(module, "Options", "The options of a map.")
      .def(
          "__init__",
          [](semantics::MapOptions* self, const std::string& capture, const std::string& strategy,
             const std::optional<std::vector<std::string>>& exceptions, const std::string& tag_format,
             const std::string& rules, const std::string& granularity, bool ignore_tags,
             const std::string& checkpoint, const std::string& description) {
            new (self)
                semantics::MapOptions(make_options(capture, checkpoint, description, strategy, exceptions,
                                                   tag_format, rules, granularity, ignore_tags));
          },
          nb::arg("capture") = "", nb::arg("strategy") = "auto", nb::arg("exceptions") = nb::none(),
          nb::arg("tag_format") = "ordinal", nb::arg("rules") = "", nb::arg("granularity") = "",
          nb::arg("ignore_tags") = false, nb::arg("checkpoint") = "", nb::arg("description") = "");
}

}  // namespace thence::python
