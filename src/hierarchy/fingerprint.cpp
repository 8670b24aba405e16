#include "hierarchy/fingerprint.h"

#include <xxhash.h>

#include <cstring>

#include "onnx/layout.h"
#include "wire/fields.h"

namespace thence::hierarchy {
namespace {

using onnx::NodeField;
using wire::bytes_tag;

// Collects the data to hash; nodes share one text buffer.
class Digest {
 public:
  explicit Digest(std::string& text) : text_(text) { text_.clear(); }
  // The length comes first, so that "ab"+"c" and "a"+"bc" differ.
  Digest& text(std::string_view bytes) {
    number(bytes.size());
    text_.append(bytes);
    return *this;
  }
  Digest& number(std::uint64_t value) {
    std::array<char, 8> little{};
    for (std::size_t i = 0; i < 8; ++i) little[i] = static_cast<char>(value >> (8 * i));
    text_.append(little.data(), little.size());
    return *this;
  }
  std::uint64_t result() const { return XXH3_64bits(text_.data(), text_.size()); }

 private:
  std::string& text_;
};

void add_tensor(Digest& digest, const onnx::Pieces& pieces) {
  const onnx::TensorView tensor = onnx::read_tensor(pieces);
  digest.number(static_cast<std::uint64_t>(tensor.data_type)).number(tensor.dims.size());
  for (const std::int64_t dim : tensor.dims) digest.number(static_cast<std::uint64_t>(dim));
}

}  // namespace

Fingerprint::Fingerprint(const onnx::Model& model, onnx::NodeId id) : Fingerprint(model.node(id).bytes()) {}

Fingerprint::Fingerprint(std::string_view node) {
  std::string_view op_type, domain, overload;
  std::size_t inputs = 0, outputs = 0;
  for (wire::Fields field(node); field.next();) {
    if (field.tag() == bytes_tag(NodeField::op_type)) op_type = field.bytes();
    if (field.tag() == bytes_tag(NodeField::domain)) domain = field.bytes();
    if (field.tag() == bytes_tag(NodeField::overload)) overload = field.bytes();
    inputs += field.tag() == bytes_tag(NodeField::input);
    outputs += field.tag() == bytes_tag(NodeField::output);
  }
  thread_local std::string hashed;
  Digest digest(hashed);
  digest.text(op_type).text(domain).text(overload);
  const auto values = [&](NodeField which, std::size_t count) {
    digest.number(count);
    for (wire::Fields field(node); field.next();)
      if (field.tag() == bytes_tag(which)) digest.text(field.bytes());
  };
  values(NodeField::input, inputs);
  values(NodeField::output, outputs);
  for (wire::Fields field(node); field.next();) {
    if (field.tag() != bytes_tag(NodeField::attribute)) continue;
    const onnx::AttributeView attribute = onnx::read_attribute(field.bytes());
    digest.text(attribute.name).text(attribute.s).number(static_cast<std::uint64_t>(attribute.i));
    std::uint32_t bits = 0;
    std::memcpy(&bits, &attribute.f, sizeof bits);
    digest.number(bits).number(attribute.ints.size());
    for (const std::int64_t value : attribute.ints) digest.number(static_cast<std::uint64_t>(value));
    for (const float value : attribute.floats) {
      std::memcpy(&bits, &value, sizeof bits);
      digest.number(bits);
    }
    for (const std::string_view value : attribute.strings) digest.text(value);
    if (attribute.has_tensor) add_tensor(digest, attribute.tensor);
  }
  std::uint64_t rest = digest.result();
  for (std::size_t i = digits_.size(); i-- > 0; rest >>= 4) digits_[i] = "0123456789abcdef"[rest & 15];
}

}  // namespace thence::hierarchy
