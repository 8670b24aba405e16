#include "dataflow/constant.h"

#include <cstring>

#include "base/half_float.h"
#include "dataflow/hash_mix.h"
#include "dataflow/thresholds.h"
#include "onnx/layout.h"

namespace thence::dataflow {

using onnx::DataType;

namespace {

// A hash of half floats that does not depend on their order.
struct UnorderedHash {
  std::uint64_t first = 0, second = 0;
  void add(std::uint32_t half) {
    first += scramble(half, 0x9e3779b1, 0x85ebca77);
    second += scramble(half, 0xc2b2ae3d, 0x27d4eb2f);
  }
  std::uint64_t total() const { return combine_hash(first, second); }

 private:
  // In 32 bits, which compilers vectorise.
  static std::uint32_t scramble(std::uint32_t half, std::uint32_t one, std::uint32_t other) {
    std::uint32_t hash = (half + 1) * one;
    hash ^= hash >> 15;
    hash *= other;
    return hash ^ hash >> 13;
  }
};

template <class Element, class Use>
void each(std::string_view data, Use use) {
  for (std::size_t at = 0; at + sizeof(Element) <= data.size(); at += sizeof(Element)) {
    Element element;
    std::memcpy(&element, data.data() + at, sizeof element);
    use(element);
  }
}

class ElementReader {
 public:
  void add_floats(DataType type, std::string_view data) {
    switch (type) {
      case DataType::float32: return add_float32s(data);
      case DataType::float16:
        return each<std::uint16_t>(data, [&](std::uint16_t bits) {
          add_real(base::from_float16(bits), (bits & 0x7fff) == 0 ? 0u : bits);
        });
      case DataType::float64:
        return each<double>(
            data, [&](double value) { add_real(value, base::to_float16(static_cast<float>(value))); });
      case DataType::bfloat16:
        return each<std::uint16_t>(data, [&](std::uint16_t bits) {
          const float value = base::from_bfloat16(bits);
          add_real(value, base::to_float16(value));
        });
      default: return;
    }
  }
  void add_integers(DataType type, std::string_view data) {
    const auto add = [&](auto value) { add_integer(static_cast<std::int64_t>(value)); };
    switch (type) {
      case DataType::uint8:
      case DataType::boolean: return each<std::uint8_t>(data, add);
      case DataType::int8: return each<std::int8_t>(data, add);
      case DataType::uint16: return each<std::uint16_t>(data, add);
      case DataType::int16: return each<std::int16_t>(data, add);
      case DataType::int32: return each<std::int32_t>(data, add);
      case DataType::int64: return each<std::int64_t>(data, add);
      case DataType::uint32: return each<std::uint32_t>(data, add);
      case DataType::uint64: return each<std::uint64_t>(data, add);
      default: return;
    }
  }
  void add_float32s(std::string_view data) {
    UnorderedHash sum = float_hash_;
    each<float>(data, [&](float value) { sum.add(base::to_float16(value)); });
    float_hash_ = sum;
    if (data.size() < sizeof(float)) return;
    float value = 0;
    std::memcpy(&value, data.data() + (data.size() / sizeof value - 1) * sizeof value, sizeof value);
    last_ = value;
    count_ += data.size() / sizeof value;
  }
  void add_real(double value, std::uint32_t half) {
    float_hash_.add(half);
    last_ = value;
    ++count_;
  }
  void add_integer(std::int64_t value) {
    if (count_++ < max_hashed_integers)
      integer_hash_ = combine_hash(integer_hash_, static_cast<std::uint64_t>(value));
    last_ = static_cast<double>(value);
  }
  Constant result(bool is_float) const {
    Constant constant;
    constant.is_float = is_float;
    constant.elements = count_;
    if (count_ > 0)
      constant.fingerprint =
          combine_hash(is_float ? float_hash_.total() : integer_hash_, count_ * 2 + is_float) | 1;
    if (count_ == 1) constant.scalar = last_;
    return constant;
  }
  std::uint64_t count() const { return count_; }

 private:
  UnorderedHash float_hash_;
  std::uint64_t integer_hash_ = 0, count_ = 0;
  double last_ = 0;
};

template <class Element>
Element element_at(std::string_view data, std::uint64_t index) {
  Element value;
  std::memcpy(&value, data.data() + index * sizeof value, sizeof value);
  return value;
}

// Bytes per element; 0 for types that are not read one element at a time.
unsigned width_of(DataType type) {
  const bool is_read = onnx::is_float(type) || onnx::is_integer(type) || type == DataType::boolean;
  return is_read ? onnx::bytes_per_element(type) : 0;
}

bool is_four_bits(DataType type) { return type == DataType::uint4 || type == DataType::int4; }

// All elements, in whichever fields of the message they are, or in `data`.
ElementReader read(const onnx::Pieces& tensor, const onnx::TensorView& header, std::string_view data) {
  using onnx::TensorField;
  ElementReader reader;
  if (!data.empty()) {
    reader.add_floats(header.data_type, data);
    reader.add_integers(header.data_type, data);
    return reader;
  }
  for (const std::string_view piece : tensor)
    for (wire::Fields field(piece); field.next();) {
      if (field.tag() == wire::bytes_tag(TensorField::raw_data)) {
        reader.add_floats(header.data_type, field.bytes());
        reader.add_integers(header.data_type, field.bytes());
      } else if (field.tag() == wire::bytes_tag(TensorField::float_data) &&
                 header.data_type == DataType::float32) {
        reader.add_floats(DataType::float32, field.bytes());
      } else if (field.tag() == wire::bytes_tag(TensorField::double_data) &&
                 header.data_type == DataType::float64) {
        reader.add_floats(DataType::float64, field.bytes());
      } else {
        const auto add = [&](std::uint64_t value) {
          if (header.data_type == DataType::float16)
            reader.add_real(base::from_float16(static_cast<std::uint16_t>(value)),
                            (value & 0x7fff) == 0 ? 0u : value & 0xffff);
          else
            reader.add_integer(static_cast<std::int64_t>(value));
        };
        for (const TensorField number :
             {TensorField::int32_data, TensorField::int64_data, TensorField::uint64_data})
          wire::for_each_varint(field, static_cast<std::uint32_t>(number), add);
      }
    }
  return reader;
}

// Gives a constant of at least so many elements access to them. Data in several pieces has none.
void set_elements(Constant& constant, const onnx::TensorView& header, std::string_view data,
                  std::uint64_t least) {
  const bool is_large = constant.elements >= least;
  const bool is_matrix = header.dims.size() >= 2 && is_large;
  const bool is_vector =
      header.dims.size() == 1 && is_large && header.data_type != DataType::int64;  // sizes and indices
  const std::uint64_t width = width_of(header.data_type);
  const bool is_complete =
      width > 0 ? data.size() == constant.elements * width : is_four_bits(header.data_type);
  if (!(is_matrix || is_vector) || !is_complete || data.empty()) return;
  constant.type = header.data_type;
  constant.rows = is_matrix ? static_cast<std::uint64_t>(header.dims[0]) : 1;
  constant.stride = constant.columns();
  constant.second_axis = is_matrix ? static_cast<std::uint64_t>(header.dims[1]) : 0;
  constant.data = data;
}

// Nothing if there are not as many elements as the shape has.
std::optional<Constant> read_elements(const onnx::Pieces& tensor, const onnx::TensorView& header,
                                      std::string_view data) {
  const ElementReader reader = read(tensor, header, data);
  if (reader.count() != header.elements().value_or(0)) return std::nullopt;
  return reader.result(onnx::is_float(header.data_type));
}

}  // namespace

Constant constant_of(const onnx::Pieces& tensor, DataFiles* files, const SampledFingerprint* samples,
                     ByRange<Constant>* external) {
  const onnx::TensorView header = onnx::read_tensor(tensor);
  Constant constant;
  constant.elements = header.elements().value_or(0);
  constant.is_float = onnx::is_float(header.data_type);
  const std::string_view data = elements_of(tensor, header, files);
  if (header.external && data.empty()) return constant;
  if (const std::uint64_t code = samples == nullptr ? 0 : samples->of(header, data); code != 0) {
    constant.fingerprint = code;
  } else if (header.external && external != nullptr && !is_four_bits(header.data_type)) {
    const auto [entry, is_new] = external->try_emplace({data.data(), data.size(), header.data_type});
    if (is_new) entry->second = read_elements(tensor, header, data).value_or(constant);
    constant = entry->second;
  } else if (const auto found = read_elements(tensor, header, data)) {
    constant = *found;
  } else if (!is_four_bits(header.data_type)) {
    return constant;
  }
  set_elements(constant, header, data, min_weight_elements);
  return constant;
}

Constant unread_constant_of(const onnx::Pieces& tensor, DataFiles* files) {
  const onnx::TensorView header = onnx::read_tensor(tensor);
  Constant constant;
  constant.elements = header.elements().value_or(0);
  constant.is_float = onnx::is_float(header.data_type);
  set_elements(constant, header, elements_of(tensor, header, files), 1);
  return constant;
}

Constant constant_of(DataType type, std::string_view elements) {
  ElementReader reader;
  reader.add_floats(type, elements);
  reader.add_integers(type, elements);
  return reader.result(onnx::is_float(type));
}

bool Constant::is_uniform() const {
  const std::size_t width = onnx::bytes_per_element(type);
  return width > 0 && data.size() > width && data.substr(width) == data.substr(0, data.size() - width);
}

bool Constant::is_readable() const {
  return may_be_weight() &&
         (is_four_bits(type) || (width_of(type) > 0 && type != DataType::int64 && type != DataType::boolean));
}

double Constant::element(std::uint64_t index) const {
  switch (type) {
    case DataType::float32: return element_at<float>(data, index);
    case DataType::uint8: return element_at<std::uint8_t>(data, index);
    case DataType::int8: return element_at<std::int8_t>(data, index);
    case DataType::uint16: return element_at<std::uint16_t>(data, index);
    case DataType::int16: return element_at<std::int16_t>(data, index);
    case DataType::int32: return element_at<std::int32_t>(data, index);
    case DataType::float16: return base::from_float16(element_at<std::uint16_t>(data, index));
    case DataType::float64: return element_at<double>(data, index);
    case DataType::bfloat16: return base::from_bfloat16(element_at<std::uint16_t>(data, index));
    case DataType::uint4:
    case DataType::int4: {
      const int four = element_at<std::uint8_t>(data, index / 2) >> (index % 2 * 4) & 15;
      return type == DataType::int4 && four > 7 ? four - 16 : four;
    }
    default: return 0;
  }
}

Constant Constant::salted(std::uint64_t salt) const {
  Constant other = *this;
  if (fingerprint != 0) other.fingerprint = combine_hash(fingerprint, salt);
  return other;
}

Constant columns_of(const Constant& weight, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t width = width_of(weight.type), columns = weight.columns();
  if (width == 0 || count == 0 || columns < count || first > columns - count) return {};
  ElementReader reader;
  if (weight.is_float)
    for (std::uint64_t row = 0; row < weight.rows; ++row)
      reader.add_floats(weight.type,
                        weight.data.substr((row * weight.stride + first) * width, count * width));
  Constant part = weight.is_float ? reader.result(true) : Constant();
  part.elements = weight.rows * count;
  part.type = weight.type;
  part.rows = weight.rows;
  part.stride = weight.stride;
  part.data = weight.data.substr(first * width);
  return part;
}

Constant constant_of(const std::vector<std::int64_t>& values) {
  ElementReader reader;
  for (const std::int64_t value : values) reader.add_integer(value);
  return reader.result(false);
}

Constant constant_of(const std::vector<float>& values) {
  ElementReader reader;
  for (const float value : values) reader.add_real(value, base::to_float16(value));
  return reader.result(true);
}

}  // namespace thence::dataflow
