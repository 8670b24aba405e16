// Message: writes protobuf bytes for tests, valid or not. ReadModel: what the reader makes of them.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "onnx/model.h"

namespace thence::test {

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}

class Message {
 public:
  template <class Field>
  Message& number(Field field, std::uint64_t value) {
    return raw(tag(field, 0) + varint(value));
  }
  template <class Field>
  Message& text(Field field, std::string_view value) {
    return raw(tag(field, 2) + varint(value.size()) + std::string(value));
  }
  template <class Field>
  Message& inner(Field field, const Message& message) {
    return text(field, message.bytes());
  }
  template <class Field>
  Message& fixed32(Field field, float value) {
    return raw(tag(field, 5) + std::string(reinterpret_cast<const char*>(&value), sizeof value));
  }
  template <class Field>
  Message& fixed64(Field field, std::uint64_t value) {
    return raw(tag(field, 1) + std::string(reinterpret_cast<const char*>(&value), sizeof value));
  }
  Message& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

  template <class Field>
  static std::string tag(Field field, std::uint64_t wire_type) {
    return varint(static_cast<std::uint64_t>(field) << 3 | wire_type);
  }

 private:
  std::string bytes_;
};

/// A copy of bytes with nothing behind it, so that a sanitizer sees the first byte read past the end.
class Exact {
 public:
  explicit Exact(std::string_view bytes) : size_(bytes.size()), data_(new char[bytes.size()]) {
    if (!bytes.empty()) std::memcpy(data_.get(), bytes.data(), bytes.size());
  }
  std::string_view view() const { return {data_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> data_;
};

struct ReadModel {
  explicit ReadModel(std::string_view file)
      : bytes(file), result(onnx::Model::read(bytes.view(), "model.onnx", diagnostics)) {}
  explicit ReadModel(const Message& file) : ReadModel(file.bytes()) {}

  bool ok() const { return static_cast<bool>(result); }
  const onnx::Model& model() const { return *result; }
  /// The error's code, or "" when the model could be read.
  std::string error() const { return ok() ? "" : result.error().code; }
  std::size_t noted(std::string_view code) const {
    const auto found = diagnostics.counts().find(code);
    return found == diagnostics.counts().end() ? 0 : found->second;
  }

  Exact bytes;
  Diagnostics diagnostics;
  Result<onnx::Model> result;
};

}  // namespace thence::test
