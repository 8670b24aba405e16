#include "dataflow/sampled_fingerprint.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/text_hash.h"
#include "dataflow/hash_mix.h"
#include "dataflow/thresholds.h"
#include "onnx/layout.h"

namespace thence::dataflow {
namespace {

std::uint64_t type_and_size_key(const onnx::TensorView& header) {
  return combine_hash(header.elements().value_or(0), static_cast<std::uint64_t>(header.data_type));
}

// A hash of bytes at equidistant positions.
std::uint64_t sample(std::string_view elements) {
  std::uint64_t code = elements.size();
  const std::size_t step = (elements.size() - bytes_per_position) / (sampled_positions - 1);
  for (std::size_t i = 0; i < sampled_positions; ++i)
    code = combine_hash(code, base::text_hash(elements.substr(i * step, bytes_per_position), 0));
  return code | 1;
}

// The samples of the large weights of one type and size.
struct Samples {
  std::vector<std::uint64_t> ancestor, descendant;
  bool in_pieces = false;

  // Whether both models have the same ones, each once.
  bool are_sufficient() {
    std::sort(ancestor.begin(), ancestor.end());
    std::sort(descendant.begin(), descendant.end());
    return !in_pieces && ancestor == descendant &&
           std::adjacent_find(ancestor.begin(), ancestor.end()) == ancestor.end();
  }
};

template <class Use>
void each_large_weight(const onnx::Model& model, Use use) {
  DataFiles files(model);
  const auto visit = [&](const onnx::Pieces& tensor) {
    const onnx::TensorView header = onnx::read_tensor(tensor);
    if (onnx::is_float(header.data_type) && header.bytes().value_or(0) >= min_sampled_bytes)
      use(header, elements_of(tensor, header, &files));
  };
  for (const onnx::Initializer& initializer : model.initializers())
    if (!initializer.sparse) visit(onnx::Pieces{initializer.bytes});
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const onnx::Node node = model.node(id);
    if (node.bytes().size() < min_sampled_bytes || node.op_type() != "Constant") continue;
    node.for_each_attribute([&](const onnx::AttributeView& attribute) {
      if (attribute.has_tensor) visit(attribute.tensor);
    });
  }
}

}  // namespace

SampledFingerprint::SampledFingerprint(const onnx::Model& ancestor, const onnx::Model& descendant) {
  std::unordered_map<std::uint64_t, Samples> found;
  const auto list = [&](const onnx::Model& model, std::vector<std::uint64_t> Samples::*of_model) {
    each_large_weight(model, [&](const onnx::TensorView& header, std::string_view elements) {
      Samples& samples = found[type_and_size_key(header)];
      if (elements.empty())
        samples.in_pieces = true;
      else
        (samples.*of_model).push_back(sample(elements));
    });
  };
  list(ancestor, &Samples::ancestor);
  list(descendant, &Samples::descendant);
  for (auto& [key, samples] : found)
    if (samples.are_sufficient()) sufficient_.insert(key);
}

std::uint64_t SampledFingerprint::of(const onnx::TensorView& header, std::string_view elements) const {
  return elements.size() >= min_sampled_bytes && sufficient_.contains(type_and_size_key(header))
             ? sample(elements)
             : 0;
}

std::string_view elements_of(const onnx::Pieces& tensor, const onnx::TensorView& header, DataFiles* files) {
  const auto size = header.bytes();
  if (!size || *size == 0) return {};
  if (header.external)
    return files == nullptr ? std::string_view() : files->find(*header.external, *size).value_or("");
  std::string_view found;
  if (header.raw_size == *size && tensor.size() == 1)
    for (wire::Fields field(tensor.front()); field.next();)
      if (field.tag() == wire::bytes_tag(onnx::TensorField::raw_data)) found = field.bytes();
  return found.size() == *size ? found : std::string_view();
}

}  // namespace thence::dataflow
