#include "transfer/glance.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/text_hash.h"
#include "onnx/layout.h"
#include "transfer/mix.h"

namespace thence::transfer {
namespace {

constexpr std::size_t least_bytes = 1u << 16;  // less is soon read
constexpr std::size_t places = 32, bytes_a_place = 512;

std::uint64_t key_of(const onnx::TensorView& header) {
  return mixed(header.elements().value_or(0), static_cast<std::uint64_t>(header.data_type));
}

// Of bytes at places that are spread over all of them, the first and the last among them.
std::uint64_t glance_at(std::string_view elements) {
  std::uint64_t code = elements.size();
  const std::size_t step = (elements.size() - bytes_a_place) / (places - 1);
  for (std::size_t place = 0; place < places; ++place)
    code = mixed(code, base::text_hash(elements.substr(place * step, bytes_a_place), 0));
  return code | 1;
}

// The large weights of a type and size, as they look in each model.
struct Looks {
  std::vector<std::uint64_t> ancestor, descendant;
  bool in_pieces = false;

  // Whether both models have the same ones, each once.
  bool tell_all() {
    std::sort(ancestor.begin(), ancestor.end());
    std::sort(descendant.begin(), descendant.end());
    return !in_pieces && ancestor == descendant &&
           std::adjacent_find(ancestor.begin(), ancestor.end()) == ancestor.end();
  }
};

template <class See>
void each_large(const onnx::Model& model, See see) {
  DataFiles files(model);
  const auto look = [&](const onnx::Pieces& tensor) {
    const onnx::TensorView header = onnx::read_tensor(tensor);
    if (onnx::is_float(header.data_type) && header.bytes().value_or(0) >= least_bytes)
      see(header, elements_of(tensor, header, &files));
  };
  for (const onnx::Initializer& initializer : model.initializers())
    if (!initializer.sparse) look(onnx::Pieces{initializer.bytes});
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const onnx::Node node = model.node(id);
    if (node.bytes().size() < least_bytes || node.op_type() != "Constant") continue;
    node.each_attribute([&](const onnx::AttributeView& attribute) {
      if (attribute.has_tensor) look(attribute.tensor);
    });
  }
}

}  // namespace

Glance::Glance(const onnx::Model& ancestor, const onnx::Model& descendant) {
  std::unordered_map<std::uint64_t, Looks> found;
  const auto list = [&](const onnx::Model& model, std::vector<std::uint64_t> Looks::*of_model) {
    each_large(model, [&](const onnx::TensorView& header, std::string_view elements) {
      Looks& looks = found[key_of(header)];
      if (elements.empty())
        looks.in_pieces = true;
      else
        (looks.*of_model).push_back(glance_at(elements));
    });
  };
  list(ancestor, &Looks::ancestor);
  list(descendant, &Looks::descendant);
  for (auto& [key, looks] : found)
    if (looks.tell_all()) enough_.insert(key);
}

std::uint64_t Glance::of(const onnx::TensorView& header, std::string_view elements) const {
  return elements.size() >= least_bytes && enough_.contains(key_of(header)) ? glance_at(elements) : 0;
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

}  // namespace thence::transfer
