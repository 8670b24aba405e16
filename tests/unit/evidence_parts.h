// Small models with a hierarchy, and evidence made by hand, for the tests of src/evidence and src/resolve.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evidence/source.h"
#include "hierarchy/hierarchy.h"
#include "onnx_parts.h"

namespace thence::test {

using Capture = capture::Capture;

/// A capture of a model with these modules, besides the root.
inline Capture capture_of(Names paths) {
  Capture capture;
  for (const std::string_view path : paths) capture.tree.add(path);
  capture.tree.set_complete();
  return capture;
}

struct ModelWithHierarchy {
  explicit ModelWithHierarchy(const Message& file, std::optional<Capture> capture = {})
      : read(file), hierarchy(read.model(), std::move(capture)) {}

  const onnx::Model& model() const { return read.model(); }
  modules::ModuleId module(std::string_view path) const { return hierarchy.tree().find(path); }

  ReadModel read;
  hierarchy::Hierarchy hierarchy;
};

inline Message metadata(std::string_view key, std::string_view value) {
  return Message().text(EntryField::key, key).text(EntryField::value, value);
}

/// With the module stack that PyTorch's dynamo exporter writes; the last entry is the operation.
inline Message with_stack(Message node, std::string_view scopes) {
  return node.inner(NodeField::metadata_props, metadata("pkg.torch.onnx.name_scopes", scopes));
}

/// A tensor of floats without data.
inline Message weight(std::string_view name, std::initializer_list<std::uint64_t> sizes) {
  Message made;
  for (const std::uint64_t size : sizes) made.number(TensorField::dims, size);
  return made.number(TensorField::data_type, 1).text(TensorField::name, name);
}

/// What a source pushed, as "node path strength (why)", with "#call" after the path if it is not the first.
inline std::vector<std::string> lines_of(const ModelWithHierarchy& net, const evidence::Sink& sink,
                                         evidence::Source source) {
  std::vector<std::string> lines;
  for (const evidence::Evidence& one : sink.of(source)) {
    std::string line = std::to_string(one.node) + " ";
    line += one.module == modules::root ? "(root)" : std::string(net.hierarchy.tree()[one.module].path);
    if (one.call.value_or(0) > 0) line += "#" + std::to_string(*one.call);
    line += " " + std::string(evidence::name_of(one.strength)) + " (" + std::string(one.why) + ")";
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace thence::test
