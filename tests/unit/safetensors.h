// Makes safetensors files, for tests; the header is given as text, so that tests can lie.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace thence {

inline std::string safetensors_of(const std::string& header, const std::string& data) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(header.size() >> (8 * i) & 0xff));
  return bytes + header + data;
}

inline std::string safetensors_entry(const std::string& key, const std::string& dtype,
                                     const std::string& shape, std::size_t begin, std::size_t end) {
  return '"' + key + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":[)" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}

/// Vectors of bytes, one after another.
inline std::string safetensors_of(const std::vector<std::pair<std::string, std::string>>& tensors) {
  std::string header, data;
  for (const auto& [key, bytes] : tensors) {
    header += header.empty() ? "{" : ",";
    header += safetensors_entry(key, "U8", "[" + std::to_string(bytes.size()) + "]", data.size(),
                                data.size() + bytes.size());
    data += bytes;
  }
  return safetensors_of(header.empty() ? "{}" : header + "}", data);
}

}  // namespace thence
