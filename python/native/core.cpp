// thence._core: the core for Python. Paths and plain data in, JSON and plain data out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "edit/tag.h"
#include "failure.h"
#include "functions/unfold.h"
#include "onnx/content_hash.h"
#include "options.h"
#include "output/formats.h"
#include "pipeline/pipeline.h"
#include "semantics/map.h"
#include "weights/trace.h"

namespace nb = nanobind;

namespace {

using namespace thence;
using python::fail;
using python::Failure;
using python::make_options;

nb::bytes to_json(const semantics::Map& map) {
  std::string text;
  {
    const nb::gil_scoped_release released;
    base::Writer out([&](std::string_view piece) { return text.append(piece), true; });
    output::write_map_json(map, 1, out);
    out.flush();
  }
  return nb::bytes(text.data(), text.size());
}

nb::bytes map_file(const std::string& model, const std::string& capture, const std::string& strategy,
                   const std::optional<std::vector<std::string>>& exceptions, const std::string& tag_format,
                   const std::string& rules, const std::string& granularity) {
  semantics::MapOptions options = make_options(capture, strategy, exceptions, rules, granularity);
  if (tag_format == "class") options.tag_format = semantics::TagFormat::bare;
  const std::unique_ptr<Result<semantics::Map>> map = [&] {
    const nb::gil_scoped_release released;
    return std::make_unique<Result<semantics::Map>>(pipeline::map_file(model, options));
  }();
  if (!*map) fail(map->error());
  return to_json(**map);
}

nb::bytes map_bytes(const nb::bytes& model, const std::string& capture, const std::string& strategy,
                    const std::optional<std::vector<std::string>>& exceptions, const std::string& tag_format,
                    const std::string& rules, const std::string& granularity) {
  semantics::MapOptions options = make_options(capture, strategy, exceptions, rules, granularity);
  if (tag_format == "class") options.tag_format = semantics::TagFormat::bare;
  const Result<semantics::Map> map =
      pipeline::map_bytes(std::string_view(model.c_str(), model.size()), "model", options);
  if (!map) fail(map.error());
  return to_json(*map);
}

// `make` gives the map of the model that is to be written with tags.
template <class Make>
nb::bytes tag(const std::string& tagged, Make make) {
  std::optional<Error> error;
  std::unique_ptr<Result<semantics::Map>> map;
  {
    const nb::gil_scoped_release released;
    map = std::make_unique<Result<semantics::Map>>(make());
    if (*map) {
      edit::TagOptions options;
      if ((*map)->own_tree().has_registration_order())
        options.weights = {(*map)->hierarchy().live_parameters(), weights::trace_weights(**map)};
      const wire::Splice splice = edit::tag_model(**map, options);
      error = base::write_atomically(tagged, [&](base::Writer& out) { splice.write(out); });
    }
  }
  if (!*map) fail(map->error());
  if (error) fail(*error);
  return to_json(**map);
}

nb::bytes tag_file(const std::string& model, const std::string& tagged, const std::string& capture,
                   const std::string& strategy, const std::optional<std::vector<std::string>>& exceptions) {
  const semantics::MapOptions options = make_options(capture, strategy, exceptions);
  return tag(tagged, [&] { return pipeline::map_file(model, options); });
}

nb::bytes tag_bytes(const nb::bytes& model, const std::string& tagged, const std::string& capture,
                    const std::string& strategy, const std::optional<std::vector<std::string>>& exceptions) {
  const semantics::MapOptions options = make_options(capture, strategy, exceptions);
  const std::string_view bytes(model.c_str(), model.size());
  return tag(tagged, [&] { return pipeline::map_bytes(bytes, tagged, options); });
}

// The flat form of a folded model; None for a model that is not folded.
nb::object unfold(const Result<onnx::Model>& model) {
  if (!model) fail(model.error());
  if (!functions::is_folded(*model)) return nb::none();
  std::string flat;
  std::optional<Error> error;
  {
    const nb::gil_scoped_release released;
    const Result<functions::Unfolded> unfolded = functions::unfold_model(*model);
    if (!unfolded) error = unfolded.error();
    base::Writer out([&](std::string_view piece) { return flat.append(piece), true; });
    if (unfolded) unfolded->model.write(out);
    out.flush();
  }
  if (error) fail(*error);
  return nb::bytes(flat.data(), flat.size());
}

nb::object unfold_file(const std::string& model) {
  Diagnostics ignored;
  return unfold(onnx::Model::open(model, ignored));
}

nb::object unfold_bytes(const nb::bytes& model) {
  Diagnostics ignored;
  return unfold(onnx::Model::read(std::string_view(model.c_str(), model.size()), "model", ignored));
}

// Holds a Python buffer for as long as it is looked at.
class Buffer {
 public:
  explicit Buffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
  }
  ~Buffer() { PyBuffer_Release(&view_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::string_view bytes() const {
    return {static_cast<const char*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_{};
};

nb::dict fingerprint(nb::handle data, const std::vector<std::int64_t>& shape, const std::string& dtype) {
  (void)dtype;  // its width says enough
  const Buffer buffer(data);
  std::size_t elements = 1;
  for (const std::int64_t size : shape) elements *= static_cast<std::size_t>(size);
  nb::dict found;
  if (elements == 0 || buffer.bytes().size() % elements != 0) return found;
  const auto width = static_cast<unsigned>(buffer.bytes().size() / elements);
  onnx::ContentHash content;
  {
    const nb::gil_scoped_release released;
    content = onnx::hash_content(buffer.bytes(), width);
  }
  found["exact"] = onnx::format_hash(content.exact);
  found["unordered"] = onnx::format_hash(content.unordered);
  return found;
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "The core of thence: reads models, answers, writes tags.";
  module.attr("version") = THENCE_VERSION;
  PyObject* const error = PyErr_NewException("thence._core.CoreError", nullptr, nullptr);
  module.attr("CoreError") = nb::borrow(error);
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* type) {
        try {
          std::rethrow_exception(thrown);
        } catch (const Failure& failure) {
          const nb::tuple arguments =
              nb::make_tuple(failure.kind, failure.error.code, failure.error.text, failure.error.hint);
          PyErr_SetObject(static_cast<PyObject*>(type), arguments.ptr());
        }
      },
      error);
  module.def("map_file", &map_file, nb::arg("model"), nb::arg("capture") = "", nb::arg("strategy") = "auto",
             nb::arg("exceptions") = nb::none(), nb::arg("tag_format") = "ordinal", nb::arg("rules") = "",
             nb::arg("granularity") = "", "The map of a file, as the JSON of schema/map.schema.json.");
  module.def("map_bytes", &map_bytes, nb::arg("model"), nb::arg("capture") = "", nb::arg("strategy") = "auto",
             nb::arg("exceptions") = nb::none(), nb::arg("tag_format") = "ordinal", nb::arg("rules") = "",
             nb::arg("granularity") = "", "The map of a model in memory.");
  module.def("unfold_file", &unfold_file, nb::arg("model"),
             "The flat form of a file that thence folded; None for any other file.");
  module.def("unfold_bytes", &unfold_bytes, nb::arg("model"), "The same for a model in memory.");
  module.def("tag_file", &tag_file, nb::arg("model"), nb::arg("tagged"), nb::arg("capture") = "",
             nb::arg("strategy") = "auto", nb::arg("exceptions") = nb::none(),
             "Writes the model with its answers as tags, and gives the map.");
  module.def("tag_bytes", &tag_bytes, nb::arg("model"), nb::arg("tagged"), nb::arg("capture") = "",
             nb::arg("strategy") = "auto", nb::arg("exceptions") = nb::none(),
             "The same of a model in memory.");
  module.def("fingerprint", &fingerprint, nb::arg("data"), nb::arg("shape"), nb::arg("dtype"),
             "Hashes of a tensor's content, of a contiguous buffer.");
  python::add_questions(module);
  python::add_weights(module);
  python::add_profile(module);
}
