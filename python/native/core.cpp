// thence._core: the core for Python. Paths and plain data in, JSON and plain data out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "failure.h"
#include "given.h"
#include "onnx/content_hash.h"
#include "reference/samples_text.h"

namespace nb = nanobind;

namespace {

using namespace thence;
using python::Failure;

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
  const Buffer buffer(data);
  std::size_t elements = 1;
  for (const std::int64_t size : shape) elements *= static_cast<std::size_t>(size);
  nb::dict found;
  if (elements == 0 || buffer.bytes().size() % elements != 0) return found;
  const auto width = static_cast<unsigned>(buffer.bytes().size() / elements);
  onnx::ContentHash content;
  std::string samples;
  {
    const nb::gil_scoped_release released;
    content = onnx::hash_content(buffer.bytes(), width);
    samples = reference::samples_text(buffer.bytes(), elements, dtype);
  }
  found["exact"] = onnx::format_hash(content.exact);
  found["unordered"] = onnx::format_hash(content.unordered);
  if (!samples.empty()) found["samples"] = samples;
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
  module.def("fingerprint", &fingerprint, nb::arg("data"), nb::arg("shape"), nb::arg("dtype"),
             "Hashes of a tensor's content, of a contiguous buffer.");
  python::add_given(module);
  python::add_answers(module);
  python::add_comparisons(module);
  python::add_edits(module);
  python::add_questions(module);
  python::add_profile(module);
}
