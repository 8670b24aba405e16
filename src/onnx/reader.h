// Reader: converts bytes to a Model in three steps. The survey validates the encoding and counts. The fill
// step numbers nodes and names. A Binder links each input to its producer.
#pragma once

#include <array>
#include <optional>

#include "base/read_ahead.h"
#include "onnx/limits.h"
#include "onnx/model.h"

namespace thence::onnx {

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& label, Diagnostics& diagnostics);
  /// Reports its read positions to `ahead`, if given. Of a mapped file, everything but weights is copied, so
  /// that the model stays as it was checked if another process writes to the file.
  enum class Memory : std::uint8_t { own, mapped };
  Result<Model> read(Memory memory, base::ReadAhead* ahead = nullptr);

 private:
  std::optional<Error> keep_structure(const wire::Survey& survey) const;
  void reserve_memory(const Counts& counts);
  void fill_model();
  void fill_graph(Graph root);
  void fill_fields(GraphId id, std::vector<Graph>& bodies);
  void fill_function(std::string_view message, GraphId id, std::vector<Graph>& bodies);
  void fill_node(std::string_view message, GraphId graph, std::vector<Graph>& bodies);
  void find_bodies(std::string_view attribute, GraphId graph, NodeId owner, std::vector<Graph>& bodies);
  void add_initializer(std::string_view message, GraphId graph, bool sparse);

  std::uint64_t offset_of(std::string_view part) const {
    return static_cast<std::uint64_t>(part.data() - model_.bytes_.data());
  }
  /// Whether there is memory left for a name. If not, reading fails.
  bool check_name(std::string_view name);
  std::uint32_t intern(std::string_view name) { return check_name(name) ? model_.names_.intern(name) : none; }
  void intern_later(std::string_view name, std::uint32_t* out) {
    if (check_name(name)) model_.names_.intern_later(name, out);
  }

  std::uint32_t intern_operator(std::string_view name);

  Model model_;
  Diagnostics& diagnostics_;
  std::uint64_t max_names_ = 0;
  bool too_many_names_ = false;
  std::optional<std::string_view> long_name_;
  bool has_bodies_ = false;
  bool nodes_in_order_ = false;
  struct Operator {
    std::string_view name;
    std::uint32_t number = none;
  };
  std::array<Operator, 64> operators_;
};

}  // namespace thence::onnx
